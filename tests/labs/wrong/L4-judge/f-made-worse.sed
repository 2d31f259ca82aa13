# A legal kernel, mended: the second block barrier looked like one too many.
/^ *phase \^= 1;$/{
n
/__syncthreads/d
}
