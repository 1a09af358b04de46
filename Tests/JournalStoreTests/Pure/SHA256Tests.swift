import Testing

@testable import JournalStore

@Suite struct `Pure, SHA-256` {
    /// A message and its digest according to the standard or another implementation.
    struct Vector: CustomTestStringConvertible {
        var testDescription: String
        var message: [UInt8]
        var digest: String

        init(_ text: String, of what: String, is digest: String) {
            self.init(Array(text.utf8), of: what, is: digest)
        }

        init(_ message: [UInt8], of what: String, is digest: String) {
            testDescription = what
            self.message = message
            self.digest = digest
        }

        static func letters(_ count: Int, is digest: String) -> Vector {
            Vector([UInt8](repeating: UInt8(ascii: "a"), count: count), of: "\(count) times 'a'", is: digest)
        }
    }

    static let vectors: [Vector] = [
        Vector("", of: "the empty message", is: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        Vector("abc", of: "FIPS 180: 'abc'", is: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        Vector(
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            of: "FIPS 180: 448 bits, with the padding in an extra block",
            is: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        Vector(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            of: "FIPS 180: 896 bits",
            is: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        .letters(55, is: "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        .letters(56, is: "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        .letters(63, is: "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        .letters(64, is: "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        .letters(65, is: "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
        .letters(119, is: "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        .letters(120, is: "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
        .letters(1_000_000, is: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ]

    private func bytes(_ words: SIMD8<UInt32>) -> [UInt8] {
        (0..<8).flatMap { index in withUnsafeBytes(of: words[index].bigEndian) { Array($0) } }
    }

    private func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        Array(message).withUnsafeBytes { message in
            let hash = SHA256.hash(message)
            #expect(hash == SHA256.hash(message, .portable), "the implementations differ")
            return bytes(hash)
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(arguments: vectors) func `a known message has its known digest`(_ vector: Vector) {
        #expect(hex(hash(vector.message)) == vector.digest)
    }

    @Test func `a message of any length up to 199 bytes is padded correctly`() {
        // The digest of all the digests, computed by Python's hashlib.
        let digests = (0..<200).flatMap { length in
            hash((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) })
        }
        #expect(hex(hash(digests)) == "615d67a99b8c846e1f0582dfe127019e93c33a66e89ced6a4f81f932c82ece87")
    }

    @Test func `a message can begin at an unaligned address`() {
        let message = [UInt8]((0..<150).map { UInt8($0) })
        for start in 1..<8 {
            let inPlace = message.withUnsafeBytes { bytes(SHA256.hash(UnsafeRawBufferPointer(rebasing: $0[start...]))) }
            #expect(inPlace == hash(message[start...]))
        }
    }
}
