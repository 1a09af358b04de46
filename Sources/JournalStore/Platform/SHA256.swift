/// SHA-256 (FIPS 180-4). The toolchain has no hash of its own on Linux, and a known one lets anybody check a journal
/// with other tools.
package enum SHA256 {
    /// The eight words of the digest, most significant first.
    package static func hash(_ message: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
        var state = SIMD8<UInt32>(
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
        let whole = message.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) {
            compress(UnsafeRawBufferPointer(rebasing: message[start..<start + 64]), into: &state)
        }
        // The rest, a one bit, zeros, and the length in bits fill one last block, or two.
        let rest = message.count - whole
        let padded = rest < 56 ? 64 : 128
        withUnsafeTemporaryAllocation(byteCount: padded, alignment: 8) { last in
            last.initializeMemory(as: UInt8.self, repeating: 0)
            last.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
            last[rest] = 0x80
            last.storeBytes(of: UInt64(message.count * 8).bigEndian, toByteOffset: padded - 8, as: UInt64.self)
            for start in stride(from: 0, to: padded, by: 64) {
                compress(UnsafeRawBufferPointer(rebasing: last[start..<start + 64]), into: &state)
            }
        }
        return state
    }

    private static func compress(_ block: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 {
                schedule[index] = UInt32(
                    bigEndian: block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
            }
            for index in 16..<64 {
                let early = schedule[index &- 15]
                let late = schedule[index &- 2]
                let small = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)
                let large = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10)
                schedule[index] = schedule[index &- 16] &+ small &+ schedule[index &- 7] &+ large
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            constants.withUnsafeBufferPointer { constants in
                // Eight rounds at a time: after eight the words stand where they stood, so that none has to be moved.
                for index in stride(from: 0, to: 64, by: 8) {
                    round(a, b, c, &d, e, f, g, &h, constants[index] &+ schedule[index])
                    round(h, a, b, &c, d, e, f, &g, constants[index &+ 1] &+ schedule[index &+ 1])
                    round(g, h, a, &b, c, d, e, &f, constants[index &+ 2] &+ schedule[index &+ 2])
                    round(f, g, h, &a, b, c, d, &e, constants[index &+ 3] &+ schedule[index &+ 3])
                    round(e, f, g, &h, a, b, c, &d, constants[index &+ 4] &+ schedule[index &+ 4])
                    round(d, e, f, &g, h, a, b, &c, constants[index &+ 5] &+ schedule[index &+ 5])
                    round(c, d, e, &f, g, h, a, &b, constants[index &+ 6] &+ schedule[index &+ 6])
                    round(b, c, d, &e, f, g, h, &a, constants[index &+ 7] &+ schedule[index &+ 7])
                }
            }
            state = state &+ SIMD8(a, b, c, d, e, f, g, h)
        }
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        let mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
        let choice = g ^ (e & (f ^ g))
        let first = h &+ mixed &+ choice &+ word
        let spread = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
        let majority = (a & b) | (c & (a | b))
        d &+= first
        h = first &+ spread &+ majority
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value >> count | value << (32 &- count)
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
