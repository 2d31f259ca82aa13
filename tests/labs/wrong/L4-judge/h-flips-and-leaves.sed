# Kernel H leaves at the refusal, and no longer closes its reads.
/kernel_h/,$ {
/release_half\(\);/d
}
