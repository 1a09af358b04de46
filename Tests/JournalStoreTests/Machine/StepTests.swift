import Foundation
import Testing

@testable import JournalStore

@Suite struct `Machine, time, identity and randomness` {
    // MARK: Known answers
    //
    // Computed with Python: sha256(stream + entry + pack('>II', purpose, first) + pack('>q', second)), taken as '>4Q'.
    // For an idempotency key, second is sha256(name + b'\0' + id)[:8].
    // The stream's seed is 00 … 0f, the entry's digest 10 … 1f.

    static let known = Seed(
        stream: StreamSeed(Array(0..<16)), entry: Digest(high: 0x1011_1213_1415_1617, low: 0x1819_1a1b_1c1d_1e1f))

    @Test func `random numbers are derived from the seed as documented`() {
        #expect(
            Step.of(seed: Self.known).numbers(8) == [
                0xb117_f6f7_0b2e_1730, 0xb610_0094_9e96_aa83, 0xa5db_078d_e91f_67d6, 0x7cd4_f676_bce2_6383,
                0x90b7_8d92_cade_91f3, 0xad26_95fb_38c2_6da3, 0xc469_2fd3_70d2_2d8f, 0x03be_9515_59d3_e3ee,
            ])
        #expect(Step.of(substep: 3, seed: Self.known).numbers(2) == [0x160b_ed5e_5590_abf0, 0xfe1b_5156_2d39_9f26])
    }

    @Test func `UUIDs are derived from the seed as documented`() {
        var step = Step.of(seed: Self.known)
        #expect(step.uuid().uuidString == "B117F6F7-0B2E-4730-B610-00949E96AA83")
        #expect(step.uuid().uuidString == "A5DB078D-E91F-47D6-BCD4-F676BCE26383")
        #expect(step.next() == 0x90b7_8d92_cade_91f3)
    }

    @Test func `idempotency keys are derived from the seed as documented`() {
        #expect(EffectContext.of(seed: Self.known).idempotencyKey == "bf94110f70be0bdfba4279742eac8992")
        #expect(EffectContext.of(ordinal: 2, seed: Self.known).idempotencyKey == "145df5d72b9a3a557a32c90549eccb2e")
        let identity = EffectRun.Identity(name: "pay", id: #"{"String":"x"}"#)
        #expect(Self.known.idempotencyKey(of: identity) == "c5b41eb6f6f39ae5fa347e424cf55604")
    }

    @Test func `the random values of delays and retries are derived from the seed as documented`() {
        let delay = Self.known.words(.queueDelay, 1, 2)
        #expect([delay.0, delay.1] == [0xf3b3_847a_9200_6bc9, 0x05dc_a484_4a01_1616])
        let retry = Self.known.words(.retry, 1, 2)
        #expect([retry.2, retry.3] == [0x64b7_f9aa_f8ce_ba49, 0xe2d9_c70f_b6c1_245a])
    }

    @Test func `a step that is made by hand has the random values of its seed`() {
        #expect(
            Step(seed: 42).numbers(4) == [
                0x371a_d3b8_70ff_83c7, 0x87eb_c5f2_9c62_a1aa, 0x81ad_0639_ddc7_de13, 0x460c_2416_48ec_bd64,
            ])
        #expect(Step(stream: "other", number: 9, seed: 42).numbers(4) == Step(seed: 42).numbers(4))
        #expect(Step(seed: 43).numbers(4) != Step(seed: 42).numbers(4))
    }

    // MARK: Equal and different values

    @Test func `the same seed and entry give the same random values`() {
        var (first, again) = (Step.of(), Step.of())
        for _ in 0..<20 {
            #expect(first.next() == again.next())
            #expect(first.uuid() == again.uuid())
        }
    }

    @Test func `each stream, entry, substep, purpose and draw has its own random values`() {
        let numbers = [
            Step.of(), Step.of(substep: 1), Step.of(substep: 2), Step.of(seed: .of(stream: 2)),
            Step.of(seed: .of(entry: 3)), Step.of(substep: 1, seed: .of(entry: 3)),
        ].flatMap { $0.numbers(50) }
        #expect(Set(numbers).count == numbers.count)
        let purposes: [Seed.Purpose] = [.step, .idempotencyKey, .queueDelay, .retry]
        #expect(Set(purposes.map { Seed.any.words($0, 0, 0).0 }).count == 4)
    }

    @Test func `each substep starts with its own random values`() {
        #expect(Step.of().substep(2).numbers(4) == Step.of(substep: 2).numbers(4))
        var drawn = Step.of()
        _ = drawn.next()
        #expect(drawn.substep(2).numbers(4) == Step.of(substep: 2).numbers(4), "whatever was drawn before")
        #expect(drawn.substep(2).number == 7 && drawn.substep(2).stream == "a" && drawn.substep(2).time == drawn.time)
    }

    @Test func `the random values of a step depend on the digest of its entry, not on its number`() {
        let other = Step(stream: "b", number: 8, time: Timestamp(microseconds: 0), seed: .any)
        #expect(other.numbers(4) == Step.of().numbers(4))
    }

    @Test func `an entry is reduced with its stored time and digest`() {
        let machine = Machine<Int, [String], Void>("m", initialState: []) { _, state, _, step in
            state.append("\(step.stream) \(step.number) \(step.substep) \(step.time.microseconds) \(step.next())")
            return .none
        }
        let program = Program(machine, environment: (), checksCoding: true)
        let stream = StreamInfo(
            id: StreamID(rawValue: 1), name: "s", machine: "m", created: Timestamp(microseconds: 0), headStep: 0,
            headDigest: Digest(high: 0, low: 0), settledStep: 0, prunedStep: 0,
            seed: StreamSeed([UInt8](repeating: 1, count: 16)))
        var state: [String] = []
        let stamp = Appended.Stamp(time: Timestamp(microseconds: 5), digest: Digest(high: 2, low: 0))
        _ = program.reduce(0, &state, at: 9, stamp, in: stream, undoing: true)
        #expect(state == ["s 9 0 5 \(Step.of().numbers(1)[0])"])
    }

    // MARK: Randomness

    @Test func `a UUID has version 4`() {
        var step = Step.of()
        for _ in 0..<200 {
            let uuid = step.uuid().uuid
            #expect(uuid.6 >> 4 == 4)
            #expect(uuid.8 >> 6 == 2)
        }
    }

    @Test func `every other bit of a UUID is random`() {
        var step = Step.of()
        var (ones, zeros) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16))
        for _ in 0..<200 {
            withUnsafeBytes(of: step.uuid().uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    ones[index] |= byte
                    zeros[index] |= ~byte
                }
            }
        }
        let free: [UInt8] = (0..<16).map { $0 == 6 ? 0x0F : $0 == 8 ? 0x3F : 0xFF }
        #expect(zip(ones, free).map { $0 & $1 } == free)
        #expect(zip(zeros, free).map { $0 & $1 } == free)
    }

    @Test func `random numbers are distributed evenly`() {
        var step = Step.of()
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 { counts[Int.random(in: 0..<10, using: &step)] += 1 }
        // The seed is fixed, and so is the outcome: within five standard deviations of 1,000.
        for count in counts { #expect((850...1_150).contains(count)) }
        #expect((1...6).shuffled(using: &step).sorted() == Array(1...6))
    }

    // MARK: Idempotency keys

    @Test func `each run has its own idempotency key`() {
        let keys = [
            EffectContext.of(), .of(ordinal: 1), .of(ordinal: 2), .of(seed: .of(stream: 2)), .of(seed: .of(entry: 3)),
        ].map(\.idempotencyKey)
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.count == 32 })
    }

    @Test func `all attempts of a run have the same idempotency key`() {
        #expect(
            EffectContext.of(attempt: 1).idempotencyKey
                == EffectContext.of(attempt: 5, isResumed: true, delivered: 9).idempotencyKey)
    }

    // MARK: Dates

    @Test func `a step's date is its time`() {
        #expect(Step.of().date == Date(timeIntervalSince1970: 1.5))
        #expect(EffectContext.any.date == Date(timeIntervalSince1970: 1.5))
        #expect(Step(date: Date(timeIntervalSince1970: 2.25)).time == Timestamp(microseconds: 2_250_000))
    }

    @Test func `a timestamp can be converted to a date and back to the microsecond`() {
        var step = Step.of()
        // From 1900 to 2105. Later dates are less precise than a microsecond.
        for _ in 0..<2_000 {
            let time = Timestamp(
                microseconds: .random(in: -2_208_988_800_000_000...4_260_211_200_000_000, using: &step))
            #expect(Timestamp(time.date) == time)
        }
    }

    @Test(
        arguments: [
            (0, 0), (-0.000_001, -1), (0.000_000_4, 0), (0.000_000_6, 1), (-0.000_000_6, -1),
            (1e12, 1_000_000_000_000_000_000),
            (1e13, .max), (-1e13, .min), (.infinity, .max), (-.infinity, .min), (1e300, .max),
        ] as [(Double, Int64)])
    func `a date is converted to the nearest timestamp that fits`(_ seconds: Double, _ microseconds: Int64) {
        #expect(Timestamp(Date(timeIntervalSince1970: seconds)).microseconds == microseconds)
    }

    @Test func `a date of NaN does not trap`() {
        _ = Timestamp(Date(timeIntervalSince1970: .nan))
    }

    @Test(arguments: [Int64.min, .max, 0]) func `the extremes convert to a date and back`(_ microseconds: Int64) {
        let time = Timestamp(microseconds: microseconds)
        #expect(Timestamp(time.date) == time)
    }
}
