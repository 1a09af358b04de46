import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the newest records of runs` {
    private func run(_ stream: Int64, _ step: Int, _ attempts: Int) -> EffectRun {
        EffectRun(
            stream: StreamID(rawValue: stream), step: step, ordinal: 0, rootStep: step, name: "charge",
            status: .running, attempts: attempts)
    }

    @Test func `only the newest record of a run is kept, at the place of the first`() {
        var runs = NewestRuns()
        for record in [run(1, 1, 1), run(1, 1, 2), run(2, 1, 1), run(1, 2, 1), run(1, 1, 3), run(2, 1, 4)] {
            runs.add(record)
        }
        #expect(runs.take() == [run(1, 1, 3), run(2, 1, 4), run(1, 2, 1)])
        #expect(runs.take().isEmpty)
    }

    @Test(arguments: 1...10) func `of any records the newest of each run is kept`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var runs = NewestRuns()
        var newest: [String: EffectRun] = [:]
        for attempt in 0..<Int.random(in: 0...30, using: &random) {
            let record = run(
                .random(in: 1...2, using: &random), .random(in: 1...3, using: &random), attempt)
            runs.add(record)
            newest["\(record.stream) \(record.key)"] = record
        }
        let taken = runs.take()
        #expect(taken.count == newest.count)
        #expect(Set(taken) == Set(newest.values))
    }
}
