import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, digests` {
    // MARK: As text and as bytes

    @Test func `a digest is the first half of a SHA-256, shown in lower-case hex`() {
        // https://csrc.nist.gov/CSRC/media/Projects/Cryptographic-Standards-and-Guidelines/documents/examples/SHA256.pdf
        #expect(Digest(of: "abc").description == "ba7816bf8f01cfea414140de5dae2223")
    }

    @Test(
        arguments: [
            (0, 0, "00000000000000000000000000000000"), (0, 1, "00000000000000000000000000000001"),
            (1, 0, "00000000000000010000000000000000"),
            (0x0123_4567_89AB_CDEF, .max, "0123456789abcdefffffffffffffffff"),
        ] as [(UInt64, UInt64, String)])
    func `a digest is always shown with 32 digits`(_ high: UInt64, _ low: UInt64, _ text: String) {
        #expect(Digest(high: high, low: low).description == text)
    }

    @Test func `a stored digest is read back unchanged`() {
        var random = SplitMix(seed: 1)
        for _ in 0..<100 {
            let digest = Digest(high: random.next(), low: random.next())
            let stored = digest.withBytes { Array($0) }
            #expect(stored.count == 16)
            #expect(stored.withUnsafeBytes { Digest(stored: $0) } == digest)
        }
    }

    @Test func `a digest is stored in the byte order in which it is shown`() {
        let stored = Digest(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF).withBytes { Array($0) }
        #expect(stored == (0..<16).map { UInt8($0 * 0x11) })
    }

    @Test(arguments: [0, 1, 8, 15, 17, 32]) func `a digest cannot be read from bytes of another length`(_ count: Int) {
        #expect([UInt8](repeating: 7, count: count).withUnsafeBytes { Digest(stored: $0) } == nil)
    }

    // MARK: The digest of an entry

    /// An entry that differs in one respect from the first of the table.
    struct Variation: CustomTestStringConvertible {
        var testDescription: String
        var entry: NewEntry

        init(
            _ what: String, action: String = "1", version: Int = 1, origin: Origin = .effect,
            cause: Cause? = Cause(stream: StreamID(rawValue: 2), step: 3, run: 4)
        ) {
            testDescription = what
            entry = NewEntry(
                stream: StreamID(rawValue: 1), action: action, version: version, origin: origin, cause: cause)
        }

        static let all: [Variation] = [
            Variation("the first of the table"),
            Variation("another action", action: "2"),
            Variation("an empty action", action: ""),
            Variation("an action with the same beginning", action: "11"),
            Variation("another version", version: 2),
            Variation("dispatched", origin: .dispatched),
            Variation("sent by a restart", origin: .restart),
            Variation("sent by a machine", origin: .machine),
            Variation("no cause", cause: nil),
            Variation("another sender", cause: Cause(stream: StreamID(rawValue: 1), step: 3, run: 4)),
            Variation("no sender", cause: Cause(step: 3, run: 4)),
            Variation("another causing step", cause: Cause(stream: StreamID(rawValue: 2), step: 4, run: 4)),
            Variation("another causing run", cause: Cause(stream: StreamID(rawValue: 2), step: 3, run: 5)),
            Variation("the first run", cause: Cause(stream: StreamID(rawValue: 2), step: 3, run: 0)),
            Variation("no causing run", cause: Cause(stream: StreamID(rawValue: 2), step: 3)),
            Variation("step and run swapped", cause: Cause(stream: StreamID(rawValue: 2), step: 4, run: 3)),
        ]
    }

    @Test(arguments: Variation.all.indices)
    func `every field of an entry changes the digest of its body`(_ index: Int) {
        let variation = Variation.all[index]
        for other in Variation.all[..<index] {
            #expect(
                variation.entry.body != other.entry.body,
                "\(variation.testDescription) – \(other.testDescription)")
        }
    }

    @Test func `the digest of a body depends neither on the stream nor on the dispatch ID`() {
        let here = NewEntry(stream: StreamID(rawValue: 1), action: "1", dispatchID: "a")
        let there = NewEntry(stream: StreamID(rawValue: 2), action: "1", dispatchID: nil)
        #expect(here.body == there.body)
    }

    /// The inputs of the digest of an entry in its chain.
    struct Place: CustomTestStringConvertible {
        var testDescription: String
        var previous = Digest(high: 1, low: 2)
        var body = Digest(high: 3, low: 4)
        var position = 5
        var time = Timestamp(microseconds: 6)

        var digest: Digest { previous.chained(body: body, position: position, time: time) }
    }

    @Test(arguments: [
        Place(testDescription: "the first word of the previous digest", previous: Digest(high: 0, low: 2)),
        Place(testDescription: "the second word of the previous digest", previous: Digest(high: 1, low: 0)),
        Place(testDescription: "the first word of the body's digest", body: Digest(high: 0, low: 4)),
        Place(testDescription: "the second word of the body's digest", body: Digest(high: 3, low: 0)),
        Place(
            testDescription: "previous and body swapped", previous: Digest(high: 3, low: 4),
            body: Digest(high: 1, low: 2)),
        Place(testDescription: "the position", position: 6),
        Place(testDescription: "the time", time: Timestamp(microseconds: 5)),
        Place(testDescription: "position and time swapped", position: 6, time: Timestamp(microseconds: 5)),
        Place(testDescription: "a time before 1970", time: Timestamp(microseconds: -6)),
    ])
    func `every input of an entry's digest changes it`(_ place: Place) {
        #expect(place.digest != Place(testDescription: "").digest)
    }

    // MARK: Genesis

    private static let seed = (0..<16).map { UInt8($0) }

    @Test(arguments: [
        Named("another name", Digest.genesis(name: "b", machine: "m", seed: seed)),
        Named("another machine", Digest.genesis(name: "a", machine: "n", seed: seed)),
        Named("another seed", Digest.genesis(name: "a", machine: "m", seed: seed.reversed())),
        Named("name and machine swapped", Digest.genesis(name: "m", machine: "a", seed: seed)),
        Named("a letter moved from the machine to the name", Digest.genesis(name: "am", machine: "", seed: seed)),
    ])
    func `a stream's name, machine and seed each change its genesis digest`(_ other: Named<Digest>) {
        #expect(other.value != Digest.genesis(name: "a", machine: "m", seed: Self.seed))
    }

    // MARK: The format

    /// The hashed message as `docs/decisions/digest-chain.md` describes it, built from raw bytes.
    private struct Raw {
        var bytes: [UInt8]

        func number(_ value: Int64) -> Raw {
            var longer = self
            for shift in stride(from: Int64(56), through: 0, by: -8) {
                longer.bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
            return longer
        }

        func text(_ value: String) -> Raw {
            var longer = number(Int64(value.utf8.count))
            longer.bytes += Array(value.utf8)
            return longer
        }

        var digest: [UInt8] {
            let words = bytes.withUnsafeBytes { SHA256.hash($0) }
            return (0..<16).map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32(24 - $0 % 4 * 8)) }
        }
    }

    @Test func `the digest format is the documented one`() {
        let genesis = Raw(bytes: Self.seed).text("cart-42").text("cart").digest
        #expect(Digest.genesis(name: "cart-42", machine: "cart", seed: Self.seed).withBytes { Array($0) } == genesis)

        let entry = NewEntry(
            stream: StreamID(rawValue: 9), action: "\"größer 🛒\"", version: 7, origin: .machine,
            cause: Cause(stream: StreamID(rawValue: 2), step: 41, run: 5))
        let body = Raw(bytes: Array("3|7|2|41|5|\"größer 🛒\"".utf8)).digest
        #expect(entry.body.withBytes { Array($0) } == body)

        let alone = NewEntry(stream: StreamID(rawValue: 9), action: "1")
        let bodyAlone = Raw(bytes: Array("0|1||||1".utf8)).digest
        #expect(alone.body.withBytes { Array($0) } == bodyAlone)

        let chained = Digest(of: "before").chained(body: entry.body, position: 3, time: Timestamp(microseconds: -1))
        let raw = Raw(bytes: Digest(of: "before").withBytes { Array($0) } + body).number(3).number(-1).digest
        #expect(chained.withBytes { Array($0) } == raw)
    }

    @Test func `the digest format never changes`() {
        // From Python's hashlib and struct. A journal that was written with these digests must always verify.
        let genesis = Digest.genesis(name: "cart-42", machine: "cart", seed: Self.seed)
        #expect(genesis.description == "8c1a5b089c977f28fb644508c665ae98")
        let first = NewEntry(stream: StreamID(rawValue: 1), action: "{\"pay\":{}}")
        #expect(first.body.description == "3002c70566e40834d07f346076c210a1")
        let second = NewEntry(
            stream: StreamID(rawValue: 1), action: "\"größer 🛒\"", version: 7, origin: .machine,
            cause: Cause(stream: StreamID(rawValue: 2), step: 41, run: 5))
        #expect(second.body.description == "fe63c30599470c09499ecfdd7296847b")
        let one = genesis.chained(body: first.body, position: 1, time: Timestamp(microseconds: 1_700_000_000_123_456))
        #expect(one.description == "1ebce8af3d8d8c722420dfd2f4b61460")
        let two = one.chained(body: second.body, position: 2, time: Timestamp(microseconds: -1))
        #expect(two.description == "5301eefcdd2d9fb634d5a015e368c8e7")
    }
}
