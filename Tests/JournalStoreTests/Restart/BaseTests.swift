import Dispatch
import Testing
import TortureKit

@testable import JournalStore

/// A machine whose reducer has a bug in version 1: it counts double.
private func counter(_ version: Int) -> Machine<Int, Int, Void> {
    let machine = Machine<Int, Int, Void>("counter", version: version, initialState: 0) { count, action in
        count += version == 1 ? 2 * action : action
    }
    return machine.unchanged(since: 1)
}

/// The actions of a version that has no 7 any more.
private struct ButSeven: Codable, Sendable, Equatable {
    struct Seven: Error {}
    let number: Int

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        if number == 7 { throw Seven() }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

@Suite struct `A new version of a machine` {
    let deaths: Deaths

    init() throws { deaths = try Deaths() }

    @Test func `a new version keeps the current state and makes it its base`() async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await journal.close()

        journal = try deaths.open()
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 6)
        #expect(second.recovery.baseStep == 3)
        #expect(second.recovery.olderSteps == 0)
        try await second.dispatch(1)
        #expect(second.state == 7)
        try await second.close()
        #expect(try deaths("SELECT step, version, is_base FROM snapshot ORDER BY step") == ["3|2|1", "4|2|0"])

        // The next opening of it has nothing to do, even if only the base is left.
        try Shell(deaths.path)("DELETE FROM snapshot WHERE is_base = 0")
        let third = try await journal.open(counter(2), stream: "a")
        #expect(third.state == 7)
        #expect(third.recovery.baseStep == nil)
        #expect(third.recovery.snapshotStep == 3)
        try await journal.close()
    }

    @Test func `a new version without a snapshot reports how many older steps it reduced, and writes a base`()
        async throws
    {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.flush()
        // No close: no snapshot of the last state is taken.
        try deaths.kill()
        try await journal.close()
        let again = try deaths.open()
        let second = try await again.open(counter(2), stream: "a")
        #expect(second.state == 3)
        #expect(second.recovery.olderSteps == 3)
        #expect(second.recovery.baseStep == 3)
        #expect(
            second.recovery.description
                == "from the beginning, 3 steps replayed, 3 of an older version, base written at step 3")
        try await again.close()
    }

    @Test(arguments: [1, 600], [false, true])
    func `a new version that cannot decode an action that is not settled writes nothing, and the older one still opens`(
        _ count: Int, _ isClosed: Bool
    ) async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        if isClosed { try await first.close() } else { try await first.flush() }
        if !isClosed { try deaths.kill() }
        try await journal.close()
        journal = try deaths.open()
        let raw = try await journal.openStream("a", machine: "counter")
        try await raw.append(contentsOf: Array(repeating: "1", count: count - 1) + ["7"])
        try await raw.close()

        let second = Machine<ButSeven, Int, Void>("counter", version: 2, initialState: 0) { $0 += $1.number }
            .unchanged(since: 1)
        let error = await journalError { try await journal.open(second, stream: "a") }
        #expect(error?.code == .notDecodable)
        #expect(error?.step == 3 + count)
        #expect(try deaths("SELECT count(*) FROM snapshot WHERE version = 2") == ["0"])
        let again = try await journal.open(counter(1), stream: "a")
        #expect(again.state == 6 + 2 * (count - 1 + 7))
        try await journal.close()
    }

    /// An operator with the tool of the old version took a snapshot of a step that was not settled.
    @Test func `a base drops the snapshots after it, which the old version has computed`() async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try deaths.kill()
        try await journal.close()
        journal = try deaths.open()
        let raw = try await journal.openStream("a", machine: "counter")
        #expect(raw.info.settledStep < 3)
        try await raw.saveSnapshot("6", at: 3, version: 1)
        try await raw.close()

        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 3)
        try await second.flush()
        try deaths.kill()
        try await journal.close()
        journal = try deaths.open()
        let third = try await journal.open(counter(2), stream: "a")
        #expect(third.state == 3)
        try await journal.close()
    }

    @Test(arguments: ["DELETE FROM snapshot", "UPDATE snapshot SET is_base = 0"])
    func `a base that is gone is noticed by an opening and by verification`(_ harm: String) async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(1)
        try await first.close()
        let second = try await journal.open(counter(2), stream: "a")
        try await second.dispatch(1)
        try await second.close()
        #expect(try await journal.verify().isSound)
        try Shell(deaths.path)(harm)
        #expect(try await journal.verify().isSound == false)
        let error = await journalError { try await journal.open(counter(2), stream: "a") }
        #expect(error?.code == .corrupt && error?.message.hasPrefix("A record is missing: a base") == true)
        try await journal.close()
    }

    @Test func `a machine that cannot be opened leaves no stream`() async throws {
        let journal = try deaths.open()
        let error = await journalError { try await journal.open(counter(0), stream: "a") }
        #expect(
            error?.description.contains(
                "The machine's version is 0. Versions begin with 1 and end with 9007199254740992.") == true)
        #expect(await journalError { try await journal.open(counter(.max), stream: "a") }?.code == .badArgument)
        #expect(try journal.reader.streams() == [])
        try await journal.close()
    }

    /// The base comes after the last settled step, whose entry is gone; a message has come since.
    @Test func `a new version writes its base also at a step that was pruned`() async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        try await journal.close()

        // A process that has opened version 1 would not deliver a message of version 2.
        journal = try deaths.open()
        let other = try await journal.open(sender(to: 2), stream: "b")
        await (try other.dispatch(10)).completion()
        #expect(try await journal.prune("a", before: 4).removedEntries == 3)
        try await journal.close()

        journal = try deaths.open()
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 16)
        #expect(second.recovery.baseStep == 3)
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `a fold that reaches a base continues from it`() async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        let second = try await journal.open(counter(2), stream: "a")
        try await second.dispatch(1)
        var states: [Int] = []
        for try await transition in second.transitions(from: 1).prefix(4) { states.append(transition.after) }
        // Before the base, the states that this code computes; from the base on, the true ones.
        #expect(states == [1, 2, 6, 7])
        try await journal.close()
    }

    @Test func `a base that cannot be read is an error unless the app lets the fold cross bases`() async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        try await (try await journal.open(counter(2), stream: "a")).close()
        try Shell(deaths.path).change("UPDATE snapshot SET state = '\"broken\"'")
        let error = await journalError { try await journal.open(counter(2), stream: "a") }
        #expect(error?.code == .noUsableSnapshot)
        #expect(error?.step == 3)
        var options = OpenOptions()
        options.crossesBases = true
        let store = try await journal.open(counter(2), stream: "a", options: options)
        #expect(store.state == 3)
        #expect(store.recovery.skippedSnapshots.map(\.step) == [3])
        // What the same store reads again crosses the base as well.
        try await store.dispatch(1)
        var states: [Int] = []
        for try await step in store.transitions(from: 1) {
            states.append(step.after)
            if states.count == 4 { break }
        }
        #expect(states == [1, 2, 3, 4])
        let replayer = try store.replayer()
        #expect(try replayer.state(at: 4) == 4)
        #expect(try replayer.steps(1...4).map(\.after) == states)
        try await journal.close()
    }

    /// Sends each of its actions to the counter of a version.
    private func sender(to version: Int) -> Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("sender", initialState: 0) { $0 += $1 }
            .connected(to: counter(version), stream: "a") { $0.action }
    }

    @Test(arguments: [false, true])
    func `a message that a closed stream gets from a newer machine does not take the place of the new version's base`(
        isClosed: Bool
    ) async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        if isClosed { try await first.close() } else { try await first.flush() }
        if !isClosed { try deaths.kill() }
        try await journal.close()

        journal = try deaths.open()
        let sender = try await journal.open(sender(to: 2), stream: "sender")
        await (try sender.dispatch(10)).completion()
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == (isClosed ? 16 : 13))
        #expect(second.recovery.baseStep == 3)
        try await second.close()
        // Once is enough.
        await (try sender.dispatch(10)).completion()
        let third = try await journal.open(counter(2), stream: "a")
        #expect(third.recovery.baseStep == nil)
        try await journal.close()
    }

    @Test func `whenever the first opening of a new version ends, the state that the older one computed is not lost`()
        async throws
    {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await journal.close()
        journal = try deaths.open()
        let sender = try await journal.open(sender(to: 2), stream: "sender")
        await (try sender.dispatch(10)).completion()
        try await journal.close()

        let copies = Box<[String]>([])
        journal = try openJournal(deaths.path) { [deaths] options in
            options.probe = { point in
                guard point == .committed else { return }
                copies.change { copies in
                    copies.append(deaths.folder.path("copy-\(copies.count).db"))
                    _ = try? Shell(deaths.path)("VACUUM INTO '\(copies[copies.count - 1])'")
                }
            }
        }
        #expect(try await journal.open(counter(2), stream: "a").state == 16)
        try await journal.close()
        #expect(copies.value.count >= 2, "a base, and a settled step")
        for copy in copies.value {
            journal = try openJournal(copy)
            let again = try await journal.open(counter(2), stream: "a")
            #expect(again.state == 16)
            try await again.close()
            // It does not depend on a cache.
            try Shell(copy)("DELETE FROM snapshot WHERE is_base = 0")
            let third = try await journal.open(counter(2), stream: "a")
            #expect(third.state == 16)
            #expect(try third.replayer().verify().isFaithful)
            try await journal.close()
        }
    }

    @Test func `no step is settled without the base of a new version, whenever its first opening ends`() async throws {
        var journal = try deaths.open()
        let raw = try await journal.openStream("a", machine: "counter")
        try await raw.append(contentsOf: Array(repeating: "1", count: 600))
        // As an operator takes it with the tool of the old version.
        try await raw.saveSnapshot("20", at: 10, version: 1)
        try await raw.close()
        try await journal.close()

        let copies = Box<[String]>([])
        journal = try openJournal(deaths.path) { [deaths] options in
            options.probe = { point in
                guard point == .committed else { return }
                copies.change { copies in
                    copies.append(deaths.folder.path("copy-\(copies.count).db"))
                    _ = try? Shell(deaths.path)("VACUUM INTO '\(copies[copies.count - 1])'")
                }
            }
        }
        let store = try await journal.open(counter(2), stream: "a")
        #expect(store.state == 600)
        #expect(store.recovery.baseStep == 512)
        try await journal.close()

        var settled: [String] = []
        for copy in copies.value {
            let found = try Shell(copy)("SELECT settled_step FROM stream")
            if found == ["0"] { continue }
            settled += found
            journal = try openJournal(copy)
            let error = await journalError { try await journal.open(counter(1), stream: "a") }
            #expect(error?.code == .newerMachine)
            let again = try await journal.open(counter(2), stream: "a")
            #expect(again.state == 600)
            #expect(again.recovery.baseStep == nil)
            try await journal.close()
        }
        #expect(settled.contains("512"))
    }

    @Test func `a new version has a base if the old one was killed before its first step was settled`() async throws {
        let copy = deaths.folder.path("copy.db")
        var journal = try openJournal(deaths.path) { [deaths] options in
            options.probe = { point in
                guard point == .committed else { return }
                // The first entry is committed, and its step is not settled yet.
                if (try? Shell(deaths.path)("SELECT settled_step FROM stream WHERE head_step = 1")) == ["0"] {
                    _ = try? Shell(deaths.path)("VACUUM INTO '\(copy)'")
                }
            }
        }
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(1)
        try await journal.close()
        #expect(try Shell(copy)("SELECT head_step, settled_step FROM stream") == ["1|0"])

        journal = try openJournal(copy)
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 1)
        #expect(second.recovery.baseStep == 1)
        #expect(try Shell(copy)("SELECT step, version, is_base FROM snapshot") == ["1|2|1"])
        try await second.close()
        #expect(await journalError { try await journal.open(counter(1), stream: "a") }?.code == .newerMachine)
        try await journal.close()
    }

    @Test func `no snapshot of a new version is stored before its base`() async throws {
        var journal = try deaths.open()
        let raw = try await journal.openStream("a", machine: "counter")
        try await raw.append(contentsOf: Array(repeating: "1", count: 300) + ["7"])
        // As an operator takes it with the tool of the old version.
        try await raw.saveSnapshot("20", at: 10, version: 1)
        try await raw.close()
        try await journal.close()

        let stored = Box<[String]>([])
        let executor = OrderedExecutor()
        let second = Machine<Int, Int, Void>("counter", version: 2, initialState: 0) { [deaths] count, action in
            count += action
            guard action == 7 else { return }
            // Behind the task that would store a snapshot of an earlier step.
            let isReached = DispatchSemaphore(value: 0)
            executor.afterCurrentJob { isReached.signal() }
            _ = isReached.wait(timeout: .now() + 600)
            let found = try? Shell(deaths.path)("SELECT step FROM snapshot WHERE version = 2")
            stored.change { $0 += found ?? ["unreadable"] }
        }
        .unchanged(since: 1)
        journal = try openJournal(deaths.path) {
            $0.snapshots = SnapshotPolicy(everySteps: 50)
            $0.executor = executor
        }
        let store = try await journal.open(second, stream: "a")
        #expect(store.state == 307)
        #expect(store.recovery.baseStep == 301)
        #expect(stored.value == [])
        try await journal.close()
    }

    @Test func `a skipped step of a newer version does not take the place of that version's base`() async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        let raw = try await journal.openStream("a", machine: "counter")
        try await raw.append("10", version: 2)
        try await raw.close()
        try await journal.skip(4, in: "a")
        try await (try await journal.open(counter(1), stream: "a")).close()

        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 6)
        #expect(second.recovery.baseStep == 4)
        try await journal.close()
    }

    @Test func `a stream that only ever got messages needs no base`() async throws {
        let journal = try deaths.open()
        let sender = try await journal.open(sender(to: 2), stream: "sender")
        await (try sender.dispatch(10)).completion()
        let store = try await journal.open(counter(2), stream: "a")
        #expect(store.state == 10)
        #expect(store.recovery.baseStep == nil)
        try await journal.close()
    }

    @Test func `code that is older than the base is refused`() async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(1)
        try await first.close()
        try await (try await journal.open(counter(2), stream: "a")).close()
        // There is no entry of version 2, only its base.
        let error = await journalError { try await journal.open(counter(1), stream: "a") }
        #expect(error?.code == .newerMachine)
        #expect(error?.step == 1)
        #expect(
            error?.advice
                == "Open it with the newer code. If that has not added a step yet, older code opens the stream with "
                + "`OpenOptions.crossesBases`.")
        var options = OpenOptions()
        options.crossesBases = true
        #expect(try await journal.open(counter(1), stream: "a", options: options).state == 2)
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `a new version reports the steps that older code has added after its base, unless their state was saved`(
        _ isKilled: Bool
    ) async throws {
        var journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(1)
        try await first.close()
        try await (try await journal.open(counter(2), stream: "a")).close()

        var options = OpenOptions()
        options.crossesBases = true
        let older = try await journal.open(counter(1), stream: "a", options: options)
        for _ in 0..<3 { try await older.dispatch(1) }
        #expect(older.state == 8)
        if isKilled {
            try await older.flush()
            try deaths.kill()
        }
        try await journal.close()

        deaths.notices.change { $0 = [] }
        journal = try deaths.open()
        let newer = try await journal.open(counter(2), stream: "a")
        #expect(newer.state == (isKilled ? 5 : 8))
        #expect(newer.recovery.olderSteps == (isKilled ? 3 : 0))
        let expected: [Notice.Kind] = isKilled ? [.olderSteps] : []
        #expect(deaths.notices.value.map(\.kind) == expected)
        try await newer.dispatch(1)
        try await newer.close()
        // Once is enough.
        try await (try await journal.open(counter(2), stream: "a")).close()
        #expect(deaths.notices.value.map(\.kind) == expected)
        try await journal.close()
    }

    @Test func `a message that nothing has reduced is no step of older code`() async throws {
        let journal = try deaths.open()
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(1)
        try await first.close()
        let sender = try await journal.open(sender(to: 1), stream: "sender")
        await (try sender.dispatch(10)).completion()
        try await sender.close()

        let report = try Replayer(counter(2), reader: journal.reader, stream: "a").verify()
        #expect(report.lastStep == 2 && report.olderSteps == 0)
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.state == 12)
        #expect(second.recovery.olderSteps == 0)
        #expect(deaths.notices.value.map(\.kind) == [])
        try await journal.close()
    }

    /// The sender's process knows an older version of the receiver, or sends a message again that failed before the upgrade.
    @Test func `a message of an older version that an open store reduces is a step of this version`() async throws {
        let journal = try deaths.open()
        let second = try await journal.open(counter(2), stream: "a")
        let sender = try await journal.open(sender(to: 1), stream: "sender")
        await (try sender.dispatch(10)).completion()
        try await second.close()
        let error = await journalError { try await journal.open(counter(1), stream: "a") }
        #expect(error?.code == .newerMachine && error?.step == 1)
        try await journal.close()
    }

    @Test func `a message of an older version, which this version has reduced before, is not reported`() async throws {
        var journal = try deaths.open()
        let second = try await journal.open(counter(2), stream: "a")
        for _ in 0..<3 { try await second.dispatch(1) }
        try await second.close()
        // A process that has opened version 2 delivers an older message as well, while no store is open.
        let sender = try await journal.open(sender(to: 1), stream: "sender")
        await (try sender.dispatch(10)).completion()
        let again = try await journal.open(counter(2), stream: "a")
        try await again.dispatch(1)
        #expect(again.state == 14)
        try await again.flush()
        try deaths.kill()
        try await journal.close()

        journal = try deaths.open()
        let third = try await journal.open(counter(2), stream: "a")
        #expect(third.state == 14)
        #expect(third.recovery.olderSteps == 1)
        #expect(deaths.notices.value.map(\.kind) == [])
        try await journal.close()
    }
}
