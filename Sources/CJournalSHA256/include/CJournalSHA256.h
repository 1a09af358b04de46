#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// Compresses blocks of 64 bytes into the state of a SHA-256, with the processor's SHA instructions if it has them.
void csha256_compress(uint32_t state[8], const uint8_t *blocks, size_t count);

/// Does the same without those instructions, for all other processors.
void csha256_compress_portably(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
