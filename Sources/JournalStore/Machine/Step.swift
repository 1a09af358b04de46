#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a reducer is told beside the action: which step it is, its time, and chance that is the same at every replay.
///
/// It is a random number generator: `Int.random(in: 1...6, using: &step)`, `items.shuffled(using: &step)`.
public struct Step: RandomNumberGenerator, Sendable {
    /// The stream's name.
    public let stream: String
    /// The step: 1, 2, 3 …
    public let number: Int
    /// Which reduction of the step it is: 0 for the action itself, then each action that `.next` added.
    public let substep: Int
    /// When the action was committed, as the journal keeps it.
    public let time: Timestamp
    let seed: Seed
    private var drawn = 0
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    package init(stream: String, number: Int, substep: Int = 0, time: Timestamp, seed: Seed) {
        self.stream = stream
        self.number = number
        self.substep = substep
        self.time = time
        self.seed = seed
    }

    /// A step for calling a reducer by hand, in a test say. The same seed gives the same chance.
    public init(stream: String = "", number: Int = 1, substep: Int = 0, date: Date = Date(), seed: UInt64 = 0) {
        self.init(
            stream: stream, number: number, substep: substep, time: Timestamp(date),
            seed: Seed(stream: [], entry: Digest(high: seed, low: 0)))
    }

    /// The same step, for another action of its cascade.
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

    /// A UUID of version 4, made of the next two random numbers.
    public mutating func uuid() -> UUID {
        let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var bytes = (high.bigEndian, low.bigEndian)
        return UUID(uuid: withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension Timestamp {
    /// The moment as a date.
    public var date: Date {
        // From the reference date on, as a date counts itself: so each microsecond of this century comes back.
        let (since, isFar) = microseconds.subtractingReportingOverflow(Self.reference)
        return Date(
            timeIntervalSinceReferenceDate: isFar
                ? Double(microseconds) / 1_000_000 - Double(Self.reference) / 1_000_000 : Double(since) / 1_000_000)
    }

    /// 2001-01-01.
    private static let reference: Int64 = 978_307_200_000_000

    /// The moment nearest to a date.
    public init(_ date: Date) {
        let exact = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        // A date can lie beyond what fits: it then becomes the last moment that does.
        self.init(
            microseconds: Int64(exactly: exact)?.addingSaturating(Self.reference) ?? (exact < 0 ? .min : .max))
    }
}
