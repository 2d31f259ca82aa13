/*
 * The yardstick for the emulator's speed: the instructions of kernel scale (scale.ptx) as a bare loop.
 * Sixteen handlers over arrays of 32 lanes, called one after the other for every warp: no decoding, no
 * dispatch, no scheduling, no checks. What an interpreter adds to that is its overhead.
 *   reference loop SECONDS     prints "plain N" and "avx2 N": median thread-executions per second
 *   reference time COMMAND...  runs the command with its output thrown away, prints its seconds of CPU and of
 *                              wall clock; exit: its status
 * Speeds are per second of CPU, so that other work on the machine disturbs them little.
 * Not modelled: anything that the kernel does not need.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LANES = 32, ROUNDS = 5 };
#define EACH for (int l = 0; l < LANES; l++)

struct warp {
    uint32_t active, p1;
    uint32_t r[6][LANES];
    float f[4][LANES];
    uint64_t rd[5][LANES];
};

struct launch { float *data; float alpha; uint32_t n, threads; };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The sixteen handlers and the loop over warps, compiled once for each instruction set. */
#define HANDLER(name, isa) isa __attribute__((noinline)) static void name
#define MACHINE(suffix, isa)                                                                            \
    HANDLER(ld_u64_##suffix, isa)(uint64_t *d, uint64_t v) { EACH d[l] = v; }                           \
    HANDLER(ld_f32_##suffix, isa)(float *d, float v) { EACH d[l] = v; }                                 \
    HANDLER(ld_u32_##suffix, isa)(uint32_t *d, uint32_t v) { EACH d[l] = v; }                           \
    HANDLER(mov_row_##suffix, isa)(uint32_t *d, uint32_t first, uint32_t step)                          \
    { EACH d[l] = first + (uint32_t)l * step; }                                                         \
    HANDLER(mad_##suffix, isa)(uint32_t *restrict d, const uint32_t *a, const uint32_t *b, const uint32_t *c) \
    { EACH d[l] = a[l] * b[l] + c[l]; }                                                                 \
    HANDLER(setp_ge_##suffix, isa)(uint32_t *p, const uint32_t *a, const uint32_t *b)                   \
    { uint32_t m = 0; EACH m |= (uint32_t)((int32_t)a[l] >= (int32_t)b[l]) << l; *p = m; }              \
    HANDLER(bra_##suffix, isa)(struct warp *w) { w->active &= ~w->p1; }                                 \
    HANDLER(cvta_##suffix, isa)(uint64_t *restrict d, const uint64_t *a) { EACH d[l] = a[l]; }          \
    HANDLER(mul_wide_##suffix, isa)(uint64_t *d, const uint32_t *a, int32_t b)                          \
    { EACH d[l] = (uint64_t)((int64_t)(int32_t)a[l] * b); }                                             \
    HANDLER(add_u64_##suffix, isa)(uint64_t *restrict d, const uint64_t *a, const uint64_t *b)          \
    { EACH d[l] = a[l] + b[l]; }                                                                        \
    HANDLER(ld_global_##suffix, isa)(float *d, const uint64_t *a, uint32_t active)                      \
    { EACH if (active >> l & 1) memcpy(&d[l], (const void *)(uintptr_t)a[l], 4); }                      \
    HANDLER(mul_f32_##suffix, isa)(float *restrict d, const float *a, const float *b) { EACH d[l] = a[l] * b[l]; } \
    HANDLER(st_global_##suffix, isa)(const uint64_t *a, const float *v, uint32_t active)                \
    { EACH if (active >> l & 1) memcpy((void *)(uintptr_t)a[l], &v[l], 4); }                            \
    HANDLER(ret_##suffix, isa)(struct warp *w) { w->active = 0; }                                       \
    isa static void run_##suffix(const struct launch *g)                                                \
    {                                                                                                   \
        struct warp w;                                                                                  \
        for (uint32_t first = 0; first < g->threads; first += LANES) {                                  \
            w.active = 0xffffffffu;                                                                     \
            ld_u64_##suffix(w.rd[1], (uint64_t)(uintptr_t)g->data);                                     \
            ld_f32_##suffix(w.f[1], g->alpha);                                                          \
            ld_u32_##suffix(w.r[2], g->n);                                                              \
            mov_row_##suffix(w.r[3], first / 256, 0);                                                   \
            mov_row_##suffix(w.r[4], 256, 0);                                                           \
            mov_row_##suffix(w.r[5], first % 256, 1);                                                   \
            mad_##suffix(w.r[1], w.r[3], w.r[4], w.r[5]);                                               \
            setp_ge_##suffix(&w.p1, w.r[1], w.r[2]);                                                    \
            bra_##suffix(&w);                                                                           \
            cvta_##suffix(w.rd[2], w.rd[1]);                                                            \
            mul_wide_##suffix(w.rd[3], w.r[1], 4);                                                      \
            add_u64_##suffix(w.rd[4], w.rd[2], w.rd[3]);                                                \
            ld_global_##suffix(w.f[2], w.rd[4], w.active);                                              \
            mul_f32_##suffix(w.f[3], w.f[1], w.f[2]);                                                   \
            st_global_##suffix(w.rd[4], w.f[3], w.active);                                              \
            ret_##suffix(&w);                                                                           \
        }                                                                                               \
    }

MACHINE(plain, )
#if defined(__x86_64__) && defined(__GNUC__)
MACHINE(avx2, __attribute__((target("avx2,bmi2"))))
#endif

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of ROUNDS measurements, each at least `limit` seconds long. */
static double speed(void (*run)(const struct launch *), const struct launch *g, double limit)
{
    double all[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
        double begin = seconds(CLOCK_PROCESS_CPUTIME_ID), spent;
        long passes = 0;
        do {
            run(g);
            passes++;
            spent = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
        } while (spent < limit);
        all[k] = (double)passes * g->threads / spent;
    }
    qsort(all, ROUNDS, sizeof(all[0]), by_size);
    return all[ROUNDS / 2];
}

static int loop(double limit)
{
    enum { N = 1 << 20 };
    struct launch g = { malloc(N * sizeof(float)), 1.0f, N, N };
    if (!g.data)
        return 5;
    for (int i = 0; i < N; i++)
        g.data[i] = (float)i;
    printf("plain %.0f\n", speed(run_plain, &g, limit));
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        printf("avx2 %.0f\n", speed(run_avx2, &g, limit));
#endif
    int wrong = g.data[N - 1] != (float)(N - 1);
    free(g.data);
    return wrong;
}

static double used(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int timed(char **command)
{
    double begin = seconds(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(2);
        execvp(command[0], command);
        perror(command[0]);
        _exit(2);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 5;
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    printf("%.6f %.6f\n", used(use.ru_utime) + used(use.ru_stime), seconds(CLOCK_MONOTONIC) - begin);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "loop"))
        return loop(atof(argv[2]));
    if (argc > 2 && !strcmp(argv[1], "time"))
        return timed(argv + 2);
    fprintf(stderr, "usage: reference loop SECONDS | reference time COMMAND...\n");
    return 2;
}
