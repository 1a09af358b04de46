#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a reducer receives beside the action: the step, its time, and random values that every replay repeats.
///
/// It is a random number generator: `Int.random(in: 1...6, using: &step)`, `items.shuffled(using: &step)`.
public struct Step: RandomNumberGenerator, Sendable {
    /// The stream's name.
    public let stream: String
    /// The step's number: 1, 2, 3 …
    public let number: Int
    /// Which reduction of the step this is: 0 for that of the action itself, 1 for that of the first action that
    /// `.next` added, and so on.
    public let substep: Int
    /// When the action was committed, as stored in the journal.
    public let time: Timestamp
    let seed: Seed
    private var drawn = 0
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    package init(stream: String, number: Int, substep: Int = 0, time: Timestamp, seed: Seed) {
        (self.stream, self.number, self.substep, self.time, self.seed) = (stream, number, substep, time, seed)
    }

    /// Creates a step for calling a reducer directly, as in a test. The same seed gives the same random values.
    public init(stream: String = "", number: Int = 1, substep: Int = 0, date: Date = Date(), seed: UInt64 = 0) {
        self.init(
            stream: stream, number: number, substep: substep, time: Timestamp(date),
            seed: Seed(stream: [], entry: Digest(high: seed, low: 0)))
    }

    /// The same step, for an action of its cascade.
    func substep(_ number: Int) -> Step {
        Step(stream: stream, number: self.number, substep: number, time: time, seed: seed)
    }

    /// ``time`` as a date.
    public var date: Date { time.date }

    /// The next random number.
    public mutating func next() -> UInt64 {
        if drawn % 4 == 0 { words = seed.words(.step, substep, drawn / 4) }
        defer { drawn += 1 }
        switch drawn % 4 {
        case 0: return words.0
        case 1: return words.1
        case 2: return words.2
        default: return words.3
        }
    }

    /// A random UUID of version 4, from the next two random numbers.
    public mutating func uuid() -> UUID {
        let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var bytes = (high.bigEndian, low.bigEndian)
        return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
    }
}
