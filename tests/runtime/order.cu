/*
 * Queues: what runs before what, asked with events, queries, host functions and streams of every kind. Prints one
 * line a fact; each is what the real runtime guarantees.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void spin(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}
__global__ void store(int *p, int value) { *p = value; }
__global__ void add(int *p, int value) { *p += value; }

static int calls;
static void count(void *p) { calls += *(int *)p; }
static void forbidden(void *p) { *(cudaError_t *)p = cudaDeviceSynchronize(); }
static void with_status(cudaStream_t, cudaError_t e, void *p) { *(int *)p = e == cudaSuccess ? 5 : -1; }

static void fact(const char *what, bool holds)
{
    printf("%s: %s\n", what, holds ? "yes" : "NO");
}

int main()
{
    int *pinned, *d, ten = 10, status = 0, least, greatest, priority;
    cudaError_t inside = cudaSuccess;
    cudaStream_t a, b, high;
    cudaEvent_t e, f;
    float ms = -1;
    cudaMallocHost(&pinned, 4 * sizeof(int));
    cudaMalloc(&d, 4 * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    fact("priorities go down to a higher one", greatest < least);
    fact("a stream of the highest priority", cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest) ==
         cudaSuccess && cudaStreamGetPriority(high, &priority) == cudaSuccess && priority == greatest);

    cudaEventRecord(e, a);
    spin<<<1, 32, 0, a>>>(1000000);
    cudaEventRecord(f, a);
    fact("a stream at work is not ready", cudaStreamQuery(a) == cudaErrorNotReady);
    fact("not ready is the last error", cudaGetLastError() == cudaErrorNotReady);
    fact("its event is not ready", cudaEventQuery(f) == cudaErrorNotReady);
    fact("the time between is not known yet", cudaEventElapsedTime(&ms, e, f) == cudaErrorNotReady);
    int asked = 0;
    while (cudaEventQuery(f) == cudaErrorNotReady && asked < 100000)
        asked++;
    fact("time passes while the host asks", asked < 100000);
    fact("then the stream is ready", cudaStreamQuery(a) == cudaSuccess);
    cudaGetLastError();
    cudaEventElapsedTime(&ms, e, f);
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    fact("elapsed time holds the kernel's cycles", ms * khz >= 1000000 && ms * khz < 3000000);

    *pinned = 1;
    spin<<<1, 32, 0, a>>>(100000);
    cudaMemcpyAsync(d, pinned, sizeof(int), cudaMemcpyHostToDevice, a);
    *pinned = 2;                               /* too early: the copy has not had its turn */
    cudaStreamSynchronize(a);
    cudaMemcpy(pinned + 1, d, sizeof(int), cudaMemcpyDeviceToHost);
    fact("a pinned source is read when its turn comes", pinned[1] == 2);
    int pageable = 1;
    spin<<<1, 32, 0, a>>>(100000);
    cudaMemcpyAsync(d, &pageable, sizeof(int), cudaMemcpyHostToDevice, a);
    pageable = 2;
    cudaStreamSynchronize(a);
    cudaMemcpy(pinned + 1, d, sizeof(int), cudaMemcpyDeviceToHost);
    fact("a pageable source may change at once", pinned[1] == 1);

    store<<<1, 1, 0, a>>>(d, 1);
    add<<<1, 1>>>(d, 2);                       /* the legacy stream waits for a, and a for it */
    add<<<1, 1, 0, a>>>(d, 4);
    cudaMemcpy(pinned, d, sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(a);
    fact("the legacy stream orders blocking streams", *pinned == 7);

    spin<<<1, 32, 0, a>>>(1000000);
    store<<<1, 1, 0, b>>>(d, 9);
    cudaStreamSynchronize(b);
    fact("a non-blocking stream does not wait", cudaStreamQuery(a) == cudaErrorNotReady);
    cudaGetLastError();

    cudaStreamSynchronize(a);
    spin<<<1, 32, 0, a>>>(200000);
    store<<<1, 1, 0, a>>>(d, 3);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    add<<<1, 1, 0, b>>>(d, 30);
    cudaStreamSynchronize(b);
    cudaMemcpy(pinned, d, sizeof(int), cudaMemcpyDeviceToHost);
    fact("a stream waits for another's event", *pinned == 33);

    cudaLaunchHostFunc(a, count, &ten);
    fact("a host function waits for its turn", calls == 0);
    cudaLaunchHostFunc(a, forbidden, &inside);
    cudaStreamAddCallback(a, with_status, &status, 0);
    cudaStreamSynchronize(a);
    fact("a host function ran", calls == 10);
    fact("no CUDA from inside", inside == cudaErrorNotPermitted);
    fact("a callback hears success", status == 5);
    cudaGetLastError();

    int *async = nullptr;
    cudaMallocAsync(&async, 16, a);
    store<<<1, 1, 0, a>>>(async, 6);
    cudaMemcpyAsync(pinned, async, sizeof(int), cudaMemcpyDeviceToHost, a);
    cudaFreeAsync(async, a);
    cudaStreamSynchronize(a);
    fact("memory of a stream", *pinned == 6);
    cudaMemPool_t pool;
    unsigned long long keep = 1 << 20, kept = 0;
    fact("a pool keeps its attributes", cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess &&
         cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) == cudaSuccess &&
         cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess && kept == keep);
    cudaMallocFromPoolAsync((void **)&async, 16, pool, a);
    store<<<1, 1, 0, a>>>(async, 8);
    cudaMemcpyAsync(pinned, async, sizeof(int), cudaMemcpyDeviceToHost, a);
    cudaFreeAsync(async, a);
    cudaStreamSynchronize(a);
    fact("memory of a pool", *pinned == 8);
    int rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, back[4] = {};
    char *pitched;
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, 8, 2);
    cudaMemcpy2D(pitched, pitch, rows, 16, 8, 2, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 8, pitched, pitch, 8, 2, cudaMemcpyDeviceToHost);
    int want[4] = {1, 2, 5, 6};
    fact("rows with a pitch", pitch >= 8 && memcmp(back, want, sizeof want) == 0);
    fact("nothing is left over", cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess);
    return 0;
}
