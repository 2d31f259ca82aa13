/*
 * The checker's state and the doors between its files.
 */
#ifndef EMU_CHECKER_STATE_H
#define EMU_CHECKER_STATE_H

#include "checker/checker.h"
#include "checker/know.h"
#include "checker/shadow.h"
#include "machine/event.h"
#include "machine/grid.h"
#include "machine/sync_ops.h"

/* What the lanes of a warp know, and their epochs. */
struct cwarp {
    bool same;                       /* k[0] and n[0] hold for all lanes */
    uint32_t live, exist;
    uint32_t used;                   /* no access of its lanes has a later epoch */
    struct know *k[LANES];
    uint32_t n[LANES];
    uint32_t last_query[LANES], last_pc[LANES];   /* request last decoded, 0 none; where */
};

/* What the lanes of one warp last did with an mbarrier: at which epoch, and, unless it waited, in which phase + 1. */
struct mbar_use {
    struct mbar_use *next;
    uint32_t block, warp, lanes;
    uint32_t epoch[LANES], phase[LANES]; uint16_t site[LANES];
    uint32_t joined, met;            /* lanes that met the lanes of met in a shuffle, vote or match afterwards, at these epochs */
    uint32_t met_epoch[LANES];
};

/* An mbarrier of a block. */
struct cmbar {
    struct cmbar *next;
    uint32_t offset, uid;            /* lanes 2 uid (operations of the own block) and 2 uid + 1 (of peers) of clocks */
    uint32_t phase;                  /* completed so far */
    bool observed;                   /* phase - 1 by some wait */
    struct access_by init;
    /* Messages of the open phase and of all completed ones: from the own block; from peers with cluster scope; too narrow. */
    struct know *open_own, *open_peers, *open_narrow;
    struct know *done_own, *done_peers, *done_narrow, *done_all;   /* all: own and peers */
    bool from_peers;                 /* operations of peers complete here */
    uint32_t landed_phase; struct access_by landed_by;   /* the last operation that completed here, and its phase + 1 */
    struct access_by last_arrive; uint32_t last_phase;
    bool waited; uint32_t waited_phase;          /* a wait for this phase was answered no */
    struct mbar_use *uses;
};

/* An asynchronous operation whose completion is still to come (or, of a group, to be waited for). */
struct flight {
    struct flight *next;
    uint64_t ticket;                 /* of the machine; requests: the request's number */
    bool request;                    /* of launch control */
    bool write, reduces;             /* else it reads there; it adds to what is there */
    bool landed;                     /* of a group nobody has waited for yet */
    uint8_t group;                   /* 1 + enum group_kind; 0: completes on an mbarrier */
    uint32_t number;                 /* of the group */
    uint64_t at; uint32_t bytes;     /* offset in the block's shared memory, or device address */
    uint64_t from; uint32_t from_bytes;   /* cp.async: its source in global memory, 0: none */
    uint32_t mbarrier;               /* offset in the destination block; UINT32_MAX none */
    uint32_t lane;                   /* issuer */
    struct access_by by;             /* the issue: block, warp, mask, epoch, site */
};

/* Lanes that have come to a block barrier. */
struct come { struct know *k, *after; uint32_t n, warp, mask; };
struct cbar {                        /* a block barrier */
    struct come *come; uint32_t count, capacity;
    uint32_t arrived;                /* threads */
    bool passing;                    /* it is open, they are leaving */
    bool split;                      /* somebody arrived without waiting */
    bool whole;                      /* every thread of the block has come */
    uint32_t epoch;                  /* whole: up to here everything is known behind it */
    struct know *message;
};

struct memo { int what; const struct know *in, *with; uint32_t n; struct know *out; uint32_t out_n; };
enum { MEMOS = 4 };

struct ccluster {
    uint32_t references;
    uint64_t linear;
    struct know *message[2];         /* of the cluster barrier, by phase */
    uint32_t phase_of[2];
    bool complete[2];
};

struct cblock {
    uint32_t serial;
    struct block *block;
    struct cgrid *grid;
    struct ccluster *cluster;
    uint32_t warp_count;
    struct cwarp *warps;
    struct line *lines; uint32_t line_count;    /* of shared memory; NULL: untouched */
    struct cmbar *mbarriers;
    struct flight *flights;          /* into its shared memory, or reading it */
    struct response { struct response *next; uint32_t offset; } *responses;   /* places that responses came to */
    uint32_t tick;                   /* highest epoch of its threads */
    uint32_t left;                   /* threads that have exited made no access at a later epoch */
    struct cbar bar[16];
    struct memo memo[MEMOS]; uint32_t memo_next;
    struct var *vars;                /* synchronisation variables in shared memory */
    struct access_by refused;        /* a refusal was observed here */
    struct last_request { uint64_t time; uint32_t warp, pc, lanes, slot; } last_request;
    struct remote { struct remote *next; struct access_by by, who; } *remotes;   /* accesses by peers to its shared memory */
    struct know *async_part[2]; uint32_t async_phase[2];   /* parts ASYNC of this block at the cluster barrier */
    struct cblock *next, *previous;  /* resident */
};

struct cgrid {
    struct cgrid *next;
    const struct grid *grid;         /* compared only: it is gone when the grid has ended */
    struct grid shape;               /* a copy, for its dimensions */
    uint32_t number;
    uint32_t floor;                  /* blocks up to this serial number had ended before it began */
    uint64_t start_order, end_order; /* end 0: still running */
};

/* Where a block of a serial number belongs: for reports and concurrent grids. */
struct born { uint32_t grid, pad; uint64_t linear; };

struct site { const struct code_function *function; const struct code *code; uint32_t pc, line_site; };

/* A location used to synchronise: strong stores and atomic operations with something to tell. */
struct var {
    struct var *next;
    uint64_t key;                    /* address, or offset in the block */
    struct told { uint32_t level, owner; struct know *message; } told[6];
    uint32_t count, next_out;
    uint32_t block, warp, lanes;     /* the last writer */
    bool alone;                      /* nobody else told anything since */
};

struct place_of { char file[96]; int line; };

struct finding {
    struct finding *next;
    enum rule_id rule;
    bool note;                       /* level hw: not an error there */
    bool printed;
    uint32_t here_site, before_site; /* 0: none */
    uint64_t count, printed_count;
    char where[160], before[400], here[400], note_text[240];
    const char *advice;              /* NULL: the rule's */
    char *waits;                     /* of a hang: lines as they are */
};

/* A request that was granted: somebody must take the index. */
struct granted { struct granted *next; uint32_t request, grid; struct access_by by; };

struct checker {
    struct observer observer;        /* first */
    struct machine *machine;
    struct heap *h;                  /* everything below, and the checker itself */
    enum strictness level;
    bool verbose, colour, lab, host_launches;
    char *again;
    /* Memory. */
    struct shadow global;
    struct var *vars[1024];
    /* Blocks. */
    struct cblock *resident;
    uint32_t serials;
    struct born *born; uint32_t born_base, born_capacity;   /* of serial born_base + 1 on */
    struct cgrid *grids;
    uint32_t grid_numbers;
    uint64_t order;
    uint32_t mbarrier_uids;
    /* Sites. */
    struct site *sites; uint32_t site_count, site_capacity;
    uint16_t *site_hash;
    /* Asynchronous operations of global memory. */
    struct flight *flights;
    struct granted *granted; uint32_t granted_count, granted_limit;   /* those taken are swept out at the limit */
    uint8_t *untaken; size_t untaken_bytes;      /* a bit per request: granted, and nobody took the index */
    /* Findings. */
    struct finding *findings, **last_finding;
    unsigned unreported;
};

/* A group of lanes that know the same and have the same epoch. */
struct lanes { struct know *k; uint32_t n, mask; };
uint32_t lanes_of(const struct cwarp *w, uint32_t mask, struct lanes out[LANES]);
/* These lanes now know k (the reference is taken over) and have epoch n. */
void lanes_set(struct checker *c, struct cblock *b, struct cwarp *w, uint32_t mask, struct know *k, uint32_t n);
static inline struct know *lane_knows(const struct cwarp *w, uint32_t lane) { return w->same ? w->k[0] : w->k[lane]; }
static inline uint32_t lane_epoch(const struct cwarp *w, uint32_t lane) { return w->same ? w->n[0] : w->n[lane]; }

/* An access by lanes of w, now. */
static inline void used(struct cblock *b, struct cwarp *w) { w->used = b->tick; }

/* observe.c */
struct cblock *cblock_of(const struct block *b);
uint16_t site_of(struct checker *c, const struct event *e);
/* The block whose shared memory a generic or shared address means, and the offset; NULL: it is not shared memory. */
struct block *shared_place(const struct event *e, uint64_t address, uint32_t *offset);
struct know *took(struct checker *c, struct cblock *b, struct know *k, struct know *message, bool own);   /* memoised join */
void take_lanes(struct checker *c, struct cblock *b, struct cwarp *w, uint32_t mask, struct know *message, bool own);
struct clock *final_knowledge(struct checker *c, struct cblock *b);
struct know *message_of(struct checker *c, const struct event *e, bool release, enum level level);   /* of e's lanes; ticks them */

/* access.c */
void check_access(struct checker *c, const struct event *e);
bool stashed(const struct know *k, const struct access_by *by);
extern const char advice_acquire[];    /* for what was stashed */
bool told_too_narrow(const struct know *k, const struct access_by *by, enum part part);   /* was it in this part? */
/* lanes of by that are not known to k (of lane `lane` of warp w of b); for shared memory of block `where`. */
uint32_t unknown_lanes(struct checker *c, const struct cblock *b, uint32_t warp, uint32_t lanes, const struct know *k,
                       const struct access_by *by, uint32_t where);
struct line *shared_line(struct checker *c, struct cblock *b, uint32_t offset);

/* mbarrier.c */
void check_mbarrier(struct checker *c, const struct event *e);
struct cmbar *mbarrier_at(struct cblock *b, uint32_t offset);
void mbarrier_met(struct cblock *b, const struct event *e);    /* lanes of a warp met in an operation that orders no memory */
void mbarrier_forget(struct checker *c, struct cblock *b);
/* The write of an operation by `issuer` completes in the open phase of m. */
void mbarrier_landed(struct checker *c, struct cmbar *m, bool peer, struct clock *uncarried, const struct access_by *issuer);
/* Reports a use of m by a lane of b that does not know of its initialisation. */
void check_init(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, const struct cmbar *m, uint32_t lane);
bool init_known(const struct know *k, const struct cmbar *m, bool *fenced);

/* async.c */
void check_request(struct checker *c, const struct event *e);
void check_issue(struct checker *c, const struct event *e);
void check_landed(struct checker *c, const struct event *e);
void check_query(struct checker *c, const struct event *e);
/* true: the access meets an operation in flight; it has been reported. */
bool check_in_flight(struct checker *c, const struct event *e, struct cblock *owner, uint64_t at, uint32_t bytes, uint32_t lane,
                     bool write);
void check_group_wait(struct checker *c, const struct event *e);
void land(struct checker *c, struct cblock *owner, struct flight *f);
/* These bytes of shared memory: last written so, and read by nobody since. */
void mark_shared(struct checker *c, struct cblock *owner, uint32_t offset, uint32_t bytes, struct access_by by);
/* An access to them that nothing orders before what this lane of owner knows. false: there is none. */
bool unordered_access(struct checker *c, struct cblock *owner, uint32_t warp, uint32_t lane, uint32_t offset, uint32_t bytes, struct access_by *by);
void remember_peer_arrival(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, const struct cmbar *m,
                           uint32_t lane);
void check_block_end(struct checker *c, struct cblock *b);
void check_grid_end(struct checker *c, struct cgrid *g);

/* launch.c */
void check_launch(struct checker *c, const struct event *e);

/* report.c */
struct report {
    enum rule_id rule;
    bool note;
    const struct event *event;       /* here; its first lane of `mask` */
    uint32_t mask;
    uint32_t site;                   /* here, instead of the event's */
    const struct access_by *before;  /* may be NULL */
    const char *verb;                /* what happened before: "wrote", "read" */
    const char *what;                /* here: "reads", "asks for" */
    const char *note_text;
    const char *object;              /* the variable concerned, or NULL */
    const char *advice;              /* what to try in this case; NULL: what the rule says */
};
void found(struct checker *c, const struct report *r);
void report_end(struct checker *c, struct cblock *b, enum rule_id rule, const struct access_by *before, const char *verb);
void shared_name(const struct cblock *b, uint32_t offset, char *text, size_t size);   /* "`result`" or "shared address 0x10" */

#endif
