/*
 * Kernels that end badly, one a name: faults NAME. tests/bats/faults.bats holds
 * what the emulator says about each. The line a message must name carries
 * `// here: NAME`.
 */
#include <cassert>
#include <cstdio>
#include <cstring>

__device__ int table[8];

__global__ void write_past(int* a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i; // here: write_past
}

__global__ void read_before(int* a, int* out)
{
    out[threadIdx.x] = a[-1]; // here: read_before
}

__global__ void misaligned(char* a)
{
    *reinterpret_cast<int*>(a + 2) = 1; // here: misaligned
}

__global__ void uninitialised(const int* a, int* out)
{
    out[threadIdx.x] = a[threadIdx.x]; // here: uninitialised
}

__global__ void shared_uninitialised(int* out)
{
    __shared__ int s[64];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // here: shared_uninitialised
}

__global__ void shared_past(int* out, int k)
{
    extern __shared__ int s[];
    s[threadIdx.x + k] = 1; // here: shared_past
    out[threadIdx.x] = s[threadIdx.x + k];
}

__global__ void use(int* a)
{
    a[0] = 1; // here: use
}

__device__ __forceinline__ void helper(int* a, int i)
{
    a[i] = 7;
}

__global__ void inlined(int* a)
{
    helper(a, 250); // here: inlined
}

__global__ void table_past(int k)
{
    table[k] = 1; // here: table_past
}

__global__ void trapped()
{
    if (threadIdx.x == 3)
        __trap(); // here: trapped
}

__global__ void asserted(int k)
{
    assert(k > int(threadIdx.x)); // here: asserted
}

__device__ __noinline__ int deep(int k, volatile int* a)
{
    volatile int room[64];
    room[k & 63] = k;
    return k == a[0] ? room[0] : deep(k + 1, a) + room[k & 63];
}

__global__ void recursion(int* a)
{
    a[0] = deep(1, a);
}

__global__ void half_barrier(int* a)
{
    if (threadIdx.x < 48)
        asm volatile("barrier.sync 1, 64;"); // here: half_barrier
    a[threadIdx.x] = 1;
}

__global__ void spin(volatile int* a)
{
    while (a[0] == 0) { // here: spin
    }
}

/* Lanes of one warp wait for each other, in both orders of the code. */
__global__ void lanes(volatile int* flag, int* out)
{
    if (threadIdx.x == 0)
        flag[0] = 1;
    else
        while (flag[0] == 0) {
        }
    if (threadIdx.x != 31)
        while (flag[1] == 0) {
        }
    else
        flag[1] = 1;
    out[threadIdx.x] = 1;
}

__global__ void lock(int* mutex, int* sum)
{
    bool done = false;
    while (!done)
        if (atomicCAS(mutex, 0, 1) == 0) {
            *reinterpret_cast<volatile int*>(sum) = *reinterpret_cast<volatile int*>(sum) + 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
}

/* Resident blocks wait for each other. */
__global__ void blocks(int* arrived)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < int(gridDim.x)) {
        }
    }
    __syncthreads();
}

__global__ void unsupported(int* a)
{
    int v;
    asm volatile("vadd.s32.s32.s32 %0, %1, %1;" : "=r"(v) : "r"(a[0])); // here: unsupported
    a[0] = v;
}

static int finish(const char* name)
{
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %s\n", name, cudaGetErrorName(e));
    return 0;
}

__global__ void rounds(int* a)
{
    for (int i = 0; a[0] == 0; i++) {
        a[threadIdx.x + 1] += i;
        __syncthreads(); // here: rounds
    }
}

int main(int argc, char** argv)
{
    const char* name = argc > 1 ? argv[1] : "";
    int *a, *b;
    auto is = [&](const char* other) { return strcmp(name, other) == 0; };
    cudaMalloc(&a, 1000);
    cudaMalloc(&b, 4096);
    cudaMemset(b, 0, 4096);
    if (is("write_past"))
        write_past<<<4, 64>>>(a, 250);
    else if (is("read_before"))
        read_before<<<1, 32>>>(b, a);
    else if (is("read_before_first"))
        read_before<<<1, 32>>>(a, b);
    else if (is("managed_past")) {
        cudaMallocManaged(&a, 1000);
        write_past<<<4, 64>>>(a, 250);
    } else if (is("misaligned"))
        misaligned<<<1, 1>>>(reinterpret_cast<char*>(b));
    else if (is("uninitialised"))
        uninitialised<<<1, 32>>>(a, b);
    else if (is("shared_uninitialised"))
        shared_uninitialised<<<1, 32>>>(b);
    else if (is("shared_past"))
        shared_past<<<1, 32, 256>>>(b, 4000);
    else if (is("null"))
        use<<<1, 1>>>(nullptr);
    else if (is("host"))
        use<<<1, 1>>>(&argc);
    else if (is("freed")) {
        cudaFree(a);
        use<<<1, 1>>>(a);
    } else if (is("inlined"))
        inlined<<<1, 1>>>(a);
    else if (is("table_past"))
        table_past<<<1, 1>>>(8);
    else if (is("trapped"))
        trapped<<<2, 32>>>();
    else if (is("asserted"))
        asserted<<<1, 32>>>(7);
    else if (is("recursion"))
        recursion<<<1, 1>>>(b);
    else if (is("half_barrier"))
        half_barrier<<<1, 64>>>(b);
    else if (is("rounds"))
        rounds<<<1, 64>>>(b);
    else if (is("spin"))
        spin<<<1, 1>>>(b);
    else if (is("lanes"))
        lanes<<<1, 32>>>(b, b + 64);
    else if (is("lock"))
        lock<<<4, 64>>>(b, b + 1);
    else if (is("blocks"))
        blocks<<<64, 128>>>(b);
    else if (is("unsupported"))
        unsupported<<<1, 1>>>(b);
    else {
        fprintf(stderr, "faults: no such kernel: %s\n", name);
        return 2;
    }
    int status = finish(name);
    if (is("lock")) {
        int sum;
        cudaMemcpy(&sum, b + 1, 4, cudaMemcpyDeviceToHost);
        printf("sum %d\n", sum);
    }
    return status;
}
