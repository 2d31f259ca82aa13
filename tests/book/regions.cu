// For tests/bats/book_parts.bats: everything that a region of the book can name. It is never compiled.
__global__ void kernel(int a, int b); // a declaration

/* ---- the kernel ---- */

// Not the declaration:
__global__
void kernel(int a, int b)
{
    int phase = threadIdx.x;
    // wait: for the answer;
    while (!done(a,
                 b)) {
        // [region inner]
        pause(";");
        // [endregion inner]
    }
    // flip: the next phase. Without it
    // this one is over.
    phase ^= 1;
    return kernel_end();
}

/* ---- the end ---- */

static int kernel_end(void) { return 1; }
