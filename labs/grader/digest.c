/*
 * SHA-256: see digest.h.
 */
#include "digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void mix(struct digest *d)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)d->block[4 * i] << 24 | (uint32_t)d->block[4 * i + 1] << 16 | (uint32_t)d->block[4 * i + 2] << 8
             | d->block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7]
             + (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, d->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        const uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        d->state[i] += s[i];
}

void digest_begin(struct digest *d)
{
    *d = (struct digest){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void digest_add(struct digest *d, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) {
        d->block[d->bytes++ % 64] = p[i];
        if (d->bytes % 64 == 0)
            mix(d);
    }
}

void digest_text(struct digest *d, const char *text) { digest_add(d, text, strlen(text) + 1); }

void digest_end(struct digest *d, char hex[DIGEST_TEXT])
{
    const uint64_t bits = d->bytes * 8;
    digest_add(d, "\x80", 1);
    while (d->bytes % 64 != 56)
        digest_add(d, "", 1);
    for (int i = 7; i >= 0; i--) {
        const unsigned char byte = (unsigned char)(bits >> (8 * i));
        digest_add(d, &byte, 1);
    }
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", (unsigned)d->state[i]);
}

uint64_t digest_number(const char *text)
{
    struct digest d;
    char hex[DIGEST_TEXT];
    digest_begin(&d);
    digest_text(&d, text);
    digest_end(&d, hex);
    hex[16] = '\0';
    return strtoull(hex, NULL, 16);
}
