/*
 * Step 1 with something wrong in it, chosen by the variable BROKEN: every kind must end with exit code 1,
 * whether it shows in the values or only in who did what.
 *   nothing    the kernel as it should be
 *   nan        element 17 becomes NaN       twice      element 17 is scaled twice
 *   left       tile 2 is left out           shortcut   tile 2's values are right, but nobody signs for it
 *   repeated   tile 2 is signed for twice   warp       warp 1 takes no part in tile 2
 *   beyond     a tile after the last        late       right when recorded, wrong in a later launch
 *   fault      writes to no allocation      config     asks for more shared memory than there is
 */
#include "common/job.cuh"

enum broken { NOTHING, A_NAN, TWICE, LEFT, SHORTCUT, REPEATED, WARP, BEYOND, LATE, FAULT, CONFIG };

__global__ void kernel_broken(float* data, int64_t n, int broken)
{
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    bool here = bx == 2;
    if (broken == LEFT && here)
        return;
    if (!(broken == SHORTCUT && here) && !(broken == WARP && here && threadIdx.x / 32 == 1))
        spend(bx);
    if (broken == REPEATED && here)
        spend(bx);
    if (broken == BEYOND && here)
        spend(gridDim.x);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
    if (broken == TWICE && i == 17)
        data[i] *= alpha;
    if (broken == A_NAN && i == 17)
        data[i] = nanf("");
    if (broken == FAULT && i == 17)
        *(float*)64 = 1;
}

static int broken()
{
    static const char* const names[] = {"nothing",  "nan",    "twice", "left",  "shortcut", "repeated",
                                        "warp",     "beyond", "late",  "fault", "config"};
    const char* name = getenv("BROKEN");
    for (int k = 0; name && k < 11; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    fprintf(stderr, "BROKEN: which kind?\n");
    exit(EXIT_USAGE);
}

static void launch(const struct job* job)
{
    const int kind = broken() == LATE ? (job->launches ? TWICE : NOTHING) : broken();
    kernel_broken<<<job->grid, job->block, kind == CONFIG ? 1 << 30 : 0>>>(job->data, job->n, kind);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "broken", 0);
    job.grid = job.tiles;
    job_run(&job, launch);
    return job_close(&job);
}
