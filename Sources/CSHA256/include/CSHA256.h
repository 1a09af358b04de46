#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// Takes whole blocks of 64 bytes into the eight words of a SHA-256, by the processor's own instructions where it has them.
void csha256_compress(uint32_t state[8], const uint8_t *blocks, size_t count);

/// The same without those instructions: what other processors do.
void csha256_compress_portably(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
