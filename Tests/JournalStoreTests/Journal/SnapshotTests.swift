import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Snapshots` {
    private struct Unreadable: Error {}

    private func stream(_ journal: Journal, entries: Int) async throws -> JournalStream {
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...max(1, entries)).map { "\($0)" })
        return stream
    }

    private func inMemory(_ change: (inout Journal.Options) -> Void) throws -> Journal {
        var options = Journal.Options()
        change(&options)
        return try Journal.inMemory(options: options)
    }

    @Test func `a snapshot can be dropped unless it is a base`() async throws {
        let journal = try inMemory { $0.snapshots = .never }
        let stream = try await stream(journal, entries: 9)
        try await stream.saveSnapshot("{}", at: 3)
        try await stream.saveSnapshot("{}", at: 6, isBase: true)
        try await stream.saveSnapshot("{}", at: 8)
        try await journal.dropSnapshot(of: "a", at: 8)
        #expect(try journal.reader.snapshotSteps(in: "a") == [3, 6])
        let base = await journalError { try await journal.dropSnapshot(of: "a", at: 6) }
        #expect(base?.code == .notInThatState)
        #expect(base?.step == 6)
        #expect(await journalError { try await journal.dropSnapshot(of: "a", at: 8) }?.code == .noSuchStep)
        #expect(await journalError { try await journal.dropSnapshot(of: "b", at: 3) }?.code == .unknownStream)
        #expect(try journal.reader.snapshotSteps(in: "a") == [3, 6])
    }

    @Test(arguments: [-1, Int.max]) func `a snapshot of a version that no reader accepts is refused`(
        version: Int
    ) async throws {
        let journal = try inMemory { $0.snapshots = .never }
        let stream = try await stream(journal, entries: 1)
        let error = await journalError { try await stream.saveSnapshot("{}", at: 1, version: version) }
        #expect(error?.code == .badArgument)
        #expect(error?.stream == "a")
        #expect(try journal.reader.snapshotSteps(in: "a") == [])
    }

    @Test func `a snapshot that a base has removed is taken again when the stream is closed`() async throws {
        let journal = try inMemory { $0.snapshots = SnapshotPolicy(everySteps: 100) }
        let stream = try await stream(journal, entries: 3)
        try await stream.saveSnapshot("{}", at: 3)
        try await stream.saveSnapshot("{}", at: 2, isBase: true)
        #expect(try journal.reader.snapshotSteps(in: "a") == [2])
        try await stream.close(at: 3) { "{}" }
        #expect(try journal.reader.snapshotSteps(in: "a") == [2, 3])
    }

    @Test func `a snapshot is taken when the policy says so, and its state is encoded once`() async throws {
        let journal = try inMemory { $0.snapshots = SnapshotPolicy(everySteps: 10, onClose: false) }
        let stream = try await stream(journal, entries: 30)
        let encoded = Box<[Int]>([])
        for step in 1...9 {
            stream.offerSnapshot(at: step) {
                Issue.record("not due"); return ""
            }
        }
        stream.offerSnapshot(at: 10) {
            encoded.change { $0.append(10) }; return "{}"
        }
        // Closing waits for the snapshot.
        try await stream.close()
        #expect(encoded.value == [10])
        #expect(try journal.reader.snapshotSteps(in: "a") == [10])
        #expect(
            try journal.reader.snapshot(in: "a", atOrBefore: 30)?.digest == journal.reader.entries(in: "a")[9].digest)
    }

    @Test func `a snapshot of a large state waits until the entries weigh as much`() async throws {
        let journal = try inMemory { $0.snapshots = SnapshotPolicy(steps: 10...90, onClose: false) }
        var stream = try await stream(journal, entries: 200)
        let state = String(repeating: "x", count: 4000)
        var taken: [Int] = []
        func offer(_ steps: ClosedRange<Int>, state: String) async {
            for step in steps {
                let isTaken = Box(false)
                stream.offerSnapshot(at: step) {
                    isTaken.change { $0 = true }; return state
                }
                await stream.finishSnapshot()
                if isTaken.value { taken.append(step) }
            }
        }
        // The length of the state is not known before the first one.
        await offer(1...60, state: state)
        let entries = StateWeight.entries(4000, try journal.reader.actionBytes(of: "a", in: 11...20), in: 10)
        #expect((36...39).contains(entries))
        #expect(taken == [10, 10 + entries])
        // An opening knows it.
        try await stream.close()
        stream = try await journal.openStream("a", machine: stream.machine)
        await offer(61...100, state: "{}")
        #expect(taken == [10, 10 + entries, 10 + 2 * entries, 20 + 2 * entries])
    }

    @Test func `a snapshot is taken on close if there are new steps`() async throws {
        let journal = try inMemory { $0.snapshots = SnapshotPolicy(everySteps: nil, onClose: true) }
        var stream = try await stream(journal, entries: 5)
        try await stream.close(at: 5) { "five" }
        #expect(try journal.reader.snapshot(in: "a", atOrBefore: 9)?.state == "five")
        stream = try await journal.openStream("a", machine: "m")
        try await stream.close(at: 5) {
            Issue.record("nothing is new"); return ""
        }
    }

    @Test func `no snapshot is taken under the policy never`() async throws {
        let journal = try inMemory { $0.snapshots = .never }
        let stream = try await stream(journal, entries: 5)
        stream.offerSnapshot(at: 5) {
            Issue.record("never"); return ""
        }
        try await stream.close(at: 5) {
            Issue.record("never"); return ""
        }
        #expect(try journal.reader.snapshotSteps(in: "a").isEmpty)
    }

    @Test func `a state that cannot be encoded is reported, and appends continue`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try inMemory {
            $0.snapshots = SnapshotPolicy(everySteps: 1, onClose: false)
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let stream = try await stream(journal, entries: 1)
        stream.offerSnapshot(at: 1) {
            throw EncodingError.invalidValue("a secret", .init(codingPath: [], debugDescription: "a secret"))
        }
        #expect(try await stream.append("2").step == 2)
        try await stream.close()
        #expect(notices.value.map(\.kind) == [.snapshotFailed])
        #expect(notices.value.first?.error.step == 1)
        #expect(notices.value.first?.error.stream == "a")
        // The encoder's error contains the value, which must not be reported.
        #expect(!String(reflecting: notices.value).contains("secret"))
    }

    @Test func `a snapshot that is overtaken by the close of the journal is no failure`() async throws {
        let notices = Box<[Notice]>([])
        let encoded = Box(false)
        let executor = LateExecutor(.utility)
        let journal = try inMemory {
            $0.snapshots = SnapshotPolicy(everySteps: 1, onClose: false)
            $0.report = { notice in notices.change { $0.append(notice) } }
            $0.executor = executor
        }
        let stream = try await stream(journal, entries: 1)
        stream.offerSnapshot(at: 1) {
            encoded.change { $0 = true }
            return "one"
        }
        try await journal.close()
        // The attempt begins, and goes on after it was refused.
        while executor.runLate() > 0 {}
        #expect(encoded.value)
        #expect(notices.value == [])
    }

    @Test func `a snapshot of a missing step is refused`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await stream(journal, entries: 3)
        let error = await journalError { try await stream.saveSnapshot("{}", at: 4) }
        #expect(error?.code == .noSuchStep)
        #expect(error?.step == 4)
    }

    @Test func `retention drops old snapshots and keeps those that a live run needs`() async throws {
        let journal = try inMemory { $0.retention = Retention(last: 2, everySteps: nil) }
        let stream = try await stream(journal, entries: 100)
        var batch = Batch()
        batch.runs = [
            EffectRun(stream: stream.id, step: 35, ordinal: 0, rootStep: 35, name: "charge", status: .running)
        ]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("base", at: 20, isBase: true)
        for step in stride(from: 30, through: 90, by: 10) { try await stream.saveSnapshot("{}", at: step) }
        #expect(try journal.reader.snapshotSteps(in: "a") == [20, 30, 80, 90])

        batch.runs[0].status = .completed
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("{}", at: 100)
        #expect(try journal.reader.snapshotSteps(in: "a") == [20, 90, 100])
    }

    /// A damaged row tells whether it is read. A stream can have thousands of live effects of steps long ago, and of the
    /// steps between two snapshots.
    @Test func `a snapshot reads one live effect after each snapshot that it can drop`() async throws {
        let journal = try inMemory { $0.retention = Retention(last: 2, everySteps: nil) }
        let stream = try await stream(journal, entries: 40)
        var batch = Batch()
        batch.runs = [5, 15, 16, 20, 35].map {
            EffectRun(stream: stream.id, step: $0, ordinal: 0, rootStep: $0, name: "charge", status: .running)
        }
        _ = try await journal.commit(batch)
        try await journal.writer.exclusively { state throws(JournalError) in
            let database = try state.usable()
            try JournalError.at(nil, "damaging a row") { () throws(DatabaseError) in
                try database.connection.execute("UPDATE effect_run SET name = 'other' WHERE step <> 15")
            }
        }
        for step in [10, 20, 30, 40] { try await stream.saveSnapshot("{}", at: step) }
        #expect(try journal.reader.snapshotSteps(in: "a") == [10, 30, 40])
    }

    @Test func `retention keeps a snapshot for a live run of the same transaction`() async throws {
        let journal = try inMemory { $0.retention = Retention(last: 1, everySteps: nil) }
        let stream = try await stream(journal, entries: 20)
        try await stream.saveSnapshot("{}", at: 5)
        var batch = Batch()
        batch.runs = [
            EffectRun(stream: stream.id, step: 8, ordinal: 0, rootStep: 8, name: "charge", status: .running)
        ]
        batch.snapshots = [NewSnapshot(stream: stream.id, step: 10, version: 1, isBase: false, state: "{}")]
        _ = try await journal.commit(batch)
        #expect(try journal.reader.snapshotSteps(in: "a") == [5, 10])
    }

    @Test func `a base is replaced by another base of its step, but not by a snapshot`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await stream(journal, entries: 3)
        try await stream.saveSnapshot("truth", at: 3, isBase: true)
        try await stream.saveSnapshot("cache", at: 3)
        let snapshot = try #require(try journal.reader.snapshot(in: "a", atOrBefore: 3))
        #expect(snapshot.isBase)
        #expect(snapshot.state == "truth")
        try await stream.saveSnapshot("newer truth", at: 3, isBase: true)
        #expect(try journal.reader.snapshot(in: "a", atOrBefore: 3)?.state == "newer truth")
    }

    // MARK: Fallback

    @Test func `a snapshot that cannot be decoded is skipped for an older one or the first entry`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await stream(journal, entries: 30)
        for step in [10, 20, 30] { try await stream.saveSnapshot("\(step)", at: step) }
        func start(_ readable: Set<String>, at step: Int = 30) throws -> StartingPoint<String> {
            try journal.reader.startingPoint(of: journal.reader.stream("a"), atOrBefore: step) { snapshot in
                guard readable.contains(snapshot.state) else { throw Unreadable() }
                return snapshot.state
            }
        }
        #expect(try start(["10", "20", "30"]).step == 30)
        #expect(try start(["10", "20", "30"], at: 29).step == 20)
        let older = try start(["10"])
        #expect(older.state == "10")
        #expect(older.skipped.map(\.step) == [30, 20])
        let beginning = try start([])
        #expect(beginning.state == nil)
        #expect(beginning.step == 0)
        #expect(beginning.skipped.count == 3)
    }

    @Test func `a fold starts before a base only on request, and never before a pruning`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await stream(journal, entries: 30)
        try await stream.saveSnapshot("10", at: 10)
        try await stream.saveSnapshot("20", at: 20, isBase: true)
        let reader = journal.reader
        let error = await journalError {
            try reader.startingPoint(of: reader.stream("a"), atOrBefore: 30) { (_) -> String in throw Unreadable() }
        }
        #expect(error?.code == .noUsableSnapshot)
        #expect(error?.step == 20)
        #expect(error?.message.contains("base") == true)
        let crossed = try reader.startingPoint(of: reader.stream("a"), atOrBefore: 30, crossingBases: true) {
            snapshot in
            guard snapshot.step == 10 else { throw Unreadable() }
            return snapshot.state
        }
        #expect(crossed.step == 10)

        var batch = Batch()
        batch.settled = [stream.id: 30]
        _ = try await journal.commit(batch)
        try await journal.prune("a", before: 15)
        let pruned = await journalError {
            try reader.startingPoint(of: reader.stream("a"), atOrBefore: 30, crossingBases: true) { (_) -> String in
                throw Unreadable()
            }
        }
        #expect(pruned?.code == .noUsableSnapshot)
        #expect(pruned?.message.contains("up to step 10 were pruned") == true)
        #expect(
            await journalError { try reader.startingPoint(of: reader.stream("a"), atOrBefore: 5) { $0.state } }?.code
                == .noUsableSnapshot)
    }

    @Test func `a state that cannot be encoded is tried again only when the next snapshot is due`() async throws {
        struct Unencodable: Error {}
        let notices = Box<[Notice]>([])
        let tries = Box(0)
        let tried = Signal()
        var options = Journal.Options()
        options.snapshots = SnapshotPolicy(everySteps: 10, onClose: false)
        options.report = { notice in
            notices.change { $0.append(notice) }
            tried.send()
        }
        let journal = try Journal.inMemory(options: options)
        let stream = try await journal.openStream("a", machine: "m")
        for step in 1...100 {
            try await stream.append("\(step)")
            let isDue = step.isMultiple(of: 10)
            #expect(stream.isSnapshotDue(at: step) == isDue)
            guard isDue else { continue }
            stream.offerSnapshot(at: step) {
                tries.change { $0 += 1 }
                throw Unencodable()
            }
            await tried.wait()
            // The attempt ends after its notice.
            while stream.isSnapshotDue(at: step + 10) == false { await Task.yield() }
        }
        #expect(tries.value == 10)
        #expect(notices.value.map(\.kind) == Array(repeating: .snapshotFailed, count: 10))
    }
}
