internal import CJournalSHA256

/// SHA-256 (FIPS 180-4). The toolchain has no hash function on Linux, and a standard one lets anyone verify a journal
/// with other tools.
package enum SHA256 {
    /// How blocks are compressed: with the processor's SHA instructions if it has them, or with portable code.
    package enum Way { case fastest, portable }

    /// The eight words of the digest, most significant first.
    package static func hash(_ message: UnsafeRawBufferPointer, _ way: Way = .fastest) -> SIMD8<UInt32> {
        var state = SIMD8<UInt32>(
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
        let whole = message.count / 64 * 64
        compress(UnsafeRawBufferPointer(rebasing: message[..<whole]), into: &state, way)
        // The remaining bytes, a one bit, zeros and the length in bits fill one or two last blocks.
        let rest = message.count - whole
        let padded = rest < 56 ? 64 : 128
        withUnsafeTemporaryAllocation(byteCount: padded, alignment: 8) { last in
            last.initializeMemory(as: UInt8.self, repeating: 0)
            last.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
            last[rest] = 0x80
            last.storeBytes(of: UInt64(message.count * 8).bigEndian, toByteOffset: padded - 8, as: UInt64.self)
            compress(UnsafeRawBufferPointer(last), into: &state, way)
        }
        return state
    }

    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>, _ way: Way) {
        guard let bytes = blocks.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        withUnsafeMutableBytes(of: &state) { words in
            guard let words = words.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
            switch way {
            case .fastest: csha256_compress(words, bytes, blocks.count / 64)
            case .portable: csha256_compress_portably(words, bytes, blocks.count / 64)
            }
        }
    }
}
