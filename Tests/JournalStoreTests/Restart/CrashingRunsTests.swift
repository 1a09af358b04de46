import Testing

@testable import JournalStore

@Suite struct `Restored effects that can crash the process` {
    /// The statuses in which a run can crash the process.
    private func statuses(_ run: Effect<Play>.Run) -> [EffectRun.Status] {
        let stamp = Appended.Stamp(time: Timestamp(microseconds: 0), digest: Digest(of: "entry"))
        return EffectRun.Status.allCases.filter { status in
            let record = EffectRun(
                stream: StreamID(rawValue: 1), step: 1, ordinal: 0, rootStep: 1, name: "run", status: status)
            return RecoveredRun(record, run, stamp).canCrashProcess
        }
    }

    @Test func `are those whose bodies can start`() {
        let effects: [Effect<Play>] = [.run("closure") { nil }, .perform(Chore.wash)]
        let runs = effects.flatMap(\.runs)
        #expect(runs.count == 2)
        // An orphan whose effect was found runs again.
        for run in runs { #expect(statuses(run) == [.waiting, .delayed, .running, .orphaned]) }
    }

    @Test func `are no timers and no messages`() {
        let timers: [Effect<Play>] = [.after(.seconds(5), .draw), .every(.seconds(5), .draw)]
        let message = Effect<Play>.Run(Message(stream: "b", machine: "play", version: 1, text: "{}"))
        let runs = timers.flatMap(\.runs) + [message]
        #expect(runs.count == 3)
        for run in runs { #expect(statuses(run) == []) }
    }
}
