import Testing

@testable import JournalStore

/// The dispatches behind actions that effects have sent, as an opening finds them.
@Suite struct `The start of a chain of effects` {
    /// A dispatch, and 99 actions of effects, each of the step before.
    private func chain() async throws -> [Entry] {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        let entries = (1...100).map { step in
            NewEntry(
                stream: stream.id, action: "\(step)", origin: step == 1 ? .dispatched : .effect,
                cause: step == 1 ? nil : Cause(step: step - 1, run: 0), cancelID: step == 1 ? "job" : nil)
        }
        _ = try await journal.commit(Batch(entries: entries))
        return try journal.reader.entries(in: "a", limit: 100)
    }

    @Test func `a chain of effects without records is read once, however many of its entries are not settled`()
        async throws
    {
        let entries = try await chain()
        var starts = ChainStarts()
        var read: [Int] = []
        for entry in entries[50...] {
            let start = try starts.start(
                of: entry, run: { _ in nil },
                entry: { step in
                    read.append(step)
                    return entries[step - 1]
                })
            #expect(start == ChainStarts.Start(root: 1, cancelID: "job"))
        }
        #expect(read == Array((1...50).reversed()))
    }

    /// Without the cancel ID, that of the dispatch would not cancel what the action of an effect leads to after a restart.
    @Test func `the record of an effect tells the start, also for the entries that follow from it`() async throws {
        let entries = try await chain()
        let plain = EffectRun(
            stream: StreamID(rawValue: 1), step: 50, ordinal: 0, rootStep: 7, name: "x", status: .running)
        let ofDispatch = changed(plain) { ($0.cancelID, $0.taskPriority) = ("job", .low) }
        for (record, expected) in [
            (plain, ChainStarts.Start(root: 7)),
            (ofDispatch, ChainStarts.Start(root: 7, priority: .low, cancelID: "job")),
        ] {
            var starts = ChainStarts()
            for entry in entries[50...] {
                let start = try starts.start(
                    of: entry, run: { $0.step == 50 ? record : nil }, entry: { entries[$0 - 1] })
                #expect(start == expected)
            }
        }
    }

    @Test func `a chain begins after an entry that was pruned`() async throws {
        let entries = try await chain()
        var starts = ChainStarts()
        for entry in entries[50...] {
            let start = try starts.start(of: entry, run: { _ in nil }, entry: { $0 < 40 ? nil : entries[$0 - 1] })
            #expect(start == ChainStarts.Start(root: 39))
        }
    }
}
