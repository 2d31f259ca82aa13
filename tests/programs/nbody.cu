/*
 * Gravity among 256 bodies in float, two steps; compared with the host within a tolerance,
 * because rsqrtf is approximate on a GPU.
 *   expect PASS nbody: 256 bodies
 */
#include "check.h"

enum { BODIES = 256 };

__host__ __device__ static float inverse_root(float x)
{
#ifdef __CUDA_ARCH__
    return rsqrtf(x);
#else
    return 1.0f / sqrtf(x);
#endif
}

__host__ __device__ static float4 pull(const float4 *all, float4 p)
{
    float4 a = { 0, 0, 0, 0 };
    for (int j = 0; j < BODIES; j++) {
        float x = all[j].x - p.x, y = all[j].y - p.y, z = all[j].z - p.z;
        float r = inverse_root(x * x + y * y + z * z + 0.01f), f = all[j].w * r * r * r;
        a.x += x * f, a.y += y * f, a.z += z * f;
    }
    return a;
}

__global__ void step(const float4 *in, float4 *out, float4 *speed)
{
    __shared__ float4 all[BODIES];
    int i = threadIdx.x;
    all[i] = in[i];
    __syncthreads();
    float4 a = pull(all, all[i]), v = speed[i];
    v.x += a.x * 0.01f, v.y += a.y * 0.01f, v.z += a.z * 0.01f;
    speed[i] = v;
    out[i] = make_float4(all[i].x + v.x * 0.01f, all[i].y + v.y * 0.01f, all[i].z + v.z * 0.01f, all[i].w);
}

static void host_step(std::vector<float4> &bodies, std::vector<float4> &speed)
{
    std::vector<float4> next = bodies;
    for (int i = 0; i < BODIES; i++) {
        float4 a = pull(bodies.data(), bodies[i]), &v = speed[i];
        v.x += a.x * 0.01f, v.y += a.y * 0.01f, v.z += a.z * 0.01f;
        next[i].x += v.x * 0.01f, next[i].y += v.y * 0.01f, next[i].z += v.z * 0.01f;
    }
    bodies = next;
}

int main()
{
    std::vector<float4> bodies(BODIES), speed(BODIES);
    for (int i = 0; i < BODIES; i++)
        bodies[i] = make_float4(i * 37 % 101 * 0.1f, i * 53 % 97 * 0.1f, i * 71 % 89 * 0.1f, 1 + i % 3);
    float4 *a = to_device(bodies), *b = to_device(bodies), *v = to_device(speed);
    step<<<1, BODIES>>>(a, b, v);
    step<<<1, BODIES>>>(b, a, v);
    CUDA(cudaGetLastError());
    std::vector<float4> got = to_host(a, BODIES);
    host_step(bodies, speed);
    host_step(bodies, speed);
    for (int i = 0; i < BODIES; i++) {
        float off = fabsf(got[i].x - bodies[i].x) + fabsf(got[i].y - bodies[i].y) + fabsf(got[i].z - bodies[i].z);
        if (!(off < 1e-4f)) {
            printf("FAIL nbody: body %d is off by %g\n", i, off);
            return 1;
        }
    }
    printf("PASS nbody: %d bodies\n", BODIES);
    return 0;
}
