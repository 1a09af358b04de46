import CFaultVFS
import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Group commit` {
    let folder: TemporaryFolder
    let vfs = FaultVFS()
    init() throws { folder = try TemporaryFolder() }

    private var syncs: UInt64 { vfs.count(FAULT_SYNC, suffix: "-wal") }

    /// Runs `body` while the writer is busy, and lets the writer continue afterwards.
    private func whileBusy(_ journal: Journal, _ body: () -> Void) async throws {
        let isAtWork = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        journal.writer.later { _ in
            isAtWork.signal()
            goOn.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isAtWork.wait()
                continuation.resume()
            }
        }
        body()
        goOn.signal()
    }

    /// The results of batches that share a transaction, each with an entry.
    private func results(of batches: [Batch], in journal: Journal) async throws -> [String] {
        let results = Box<[String]>([])
        let done = Signal()
        try await whileBusy(journal) {
            for batch in batches {
                journal.submit(batch) { result in
                    switch result {
                    case .success(let appended): results.change { $0.append("step \(appended[0].step)") }
                    case .failure(let error): results.change { $0.append(error.code.rawValue) }
                    }
                    done.send()
                }
            }
        }
        await done.wait(times: batches.count)
        return results.value
    }

    @Test func `batches that arrive during a transaction share the next one, in order of arrival`() async throws {
        let journal = try openJournal(folder.path("a.db")) {
            $0.vfs = vfs.name
            $0.execution = .ownThread
        }
        let one = try await journal.openStream("a", machine: "m")
        let two = try await journal.openStream("b", machine: "m")
        let results = Box<[Int]>([])
        let done = Signal()
        var before: UInt64 = 0
        try await whileBusy(journal) {
            before = syncs
            for number in 1...100 {
                let stream = number % 2 == 0 ? one : two
                journal.submit(Batch(entries: [NewEntry(stream: stream.id, action: "\(number)")])) { result in
                    if let appended = try? result.get() { results.change { $0.append(appended[0].position ?? 0) } }
                    done.send()
                }
            }
        }
        await done.wait(times: 100)
        #expect(syncs == before + 1)
        #expect(results.value == Array(1...100))
        #expect(try journal.reader.entries(after: 0, limit: 200).map(\.action) == (1...100).map { "\($0)" })
    }

    @Test func `a transaction takes at most entriesPerCommit entries`() async throws {
        let journal = try openJournal(folder.path("a.db")) {
            $0.vfs = vfs.name
            $0.execution = .ownThread
            $0.entriesPerCommit = 10
        }
        let stream = try await journal.openStream("a", machine: "m")
        let done = Signal()
        var before: UInt64 = 0
        try await whileBusy(journal) {
            before = syncs
            for number in 1...95 {
                journal.submit(Batch(entries: [NewEntry(stream: stream.id, action: "\(number)")])) { _ in done.send() }
            }
        }
        await done.wait(times: 95)
        #expect(syncs == before + 10)
    }

    @Test func `a call that needs the database for itself is answered while the writer is paused and no task can run`()
        async throws
    {
        let executor = LateExecutor(nil)
        let journal = try openJournal(folder.path("a.db")) { $0.executor = executor }
        let stream = try await journal.openStream("a", machine: "m")
        let done = Signal()
        // After a transaction with several batches the writer pauses.
        journal.writer.submit(
            (1...2).map { number in
                Submission(Batch(entries: [NewEntry(stream: stream.id, action: "\(number)")])) { _ in done.send() }
            })
        await done.wait(times: 2)
        #expect(try await journal.metrics().entries == 2)
        executor.end()
        try await journal.close()
    }

    @Test func `a batch that cannot be stored fails alone`() async throws {
        let journal = try openJournal(folder.path("a.db")) { $0.execution = .ownThread }
        let stream = try await journal.openStream("a", machine: "m")
        let closed = try await journal.openStream("b", machine: "m")
        try await closed.close()
        var loose = Batch(entries: [NewEntry(stream: stream.id, action: "never")])
        loose.steps = [StepRecord(stream: stream.id, step: 99)]
        let batches = [
            Batch(entries: [NewEntry(stream: stream.id, action: "1")]), loose,
            Batch(entries: [NewEntry(stream: stream.id, action: "2")]),
            Batch(entries: [NewEntry(stream: closed.id, action: "never")]),
            Batch(entries: [NewEntry(stream: stream.id, action: "3")]),
        ]
        #expect(
            try await results(of: batches, in: journal) == ["step 1", "not-storable", "step 2", "closed", "step 3"])
        #expect(try journal.reader.entries(in: "a").map(\.action) == ["1", "2", "3"])
        #expect(try await journal.verify().isSound)
    }

    @Test func `a batch that fails takes back what it did to each of its streams, and nothing else`() async throws {
        let journal = try openJournal(folder.path("a.db")) { $0.execution = .ownThread }
        let a = try await journal.openStream("a", machine: "m")
        let b = try await journal.openStream("b", machine: "m")
        let c = try await journal.openStream("c", machine: "m")
        var loose = Batch(
            entries: [
                NewEntry(stream: a.id, action: "never"), NewEntry(stream: b.id, action: "never", dispatchID: "x"),
            ])
        loose.settled = [b.id: 1, c.id: 1]
        loose.steps = [StepRecord(stream: a.id, step: 99)]
        let batches = [
            Batch(entries: [NewEntry(stream: a.id, action: "1")]),
            Batch(entries: [NewEntry(stream: c.id, action: "1")]), loose,
            Batch(entries: [NewEntry(stream: b.id, action: "1")]),
            Batch(entries: [NewEntry(stream: a.id, action: "2")]),
        ]
        #expect(
            try await results(of: batches, in: journal) == ["step 1", "step 1", "not-storable", "step 1", "step 2"])
        let entries = try journal.reader.entries(after: 0, limit: 9)
        #expect(entries.map(\.position) == [1, 2, 3, 4])
        #expect(entries.map { "\($0.stream) \($0.action)" } == ["a 1", "c 1", "b 1", "a 2"])
        for name in ["a", "b", "c"] { #expect(try journal.reader.stream(name).settledStep == 0) }
        #expect(try await b.append("2", id: "x").isRepeat == false)
        #expect(try await journal.verify().isSound)
    }

    @Test func `a dispatch that is refused does not make its transaction anew`() async throws {
        let transactions = Box(0)
        let journal = try openJournal(folder.path("a.db")) {
            $0.execution = .ownThread
            // Each attempt at a transaction reads the clock once.
            $0.wallClock = {
                transactions.change { $0 += 1 }
                return .now()
            }
        }
        let stream = try await journal.openStream("a", machine: "m")
        let closed = try await journal.openStream("b", machine: "m")
        try await closed.close()
        try await stream.append("1", id: "x")
        let first = NewEntry(stream: stream.id, action: "1", dispatchID: "x")
        let other = NewEntry(stream: stream.id, action: "never", dispatchID: "x")
        let batches = [
            [NewEntry(stream: stream.id, action: "2")], [other], [first, other],
            [NewEntry(stream: stream.id, action: "never", dispatchID: "")],
            [NewEntry(stream: stream.id, action: "never", version: NewEntry.versions.upperBound + 1)],
            [NewEntry(stream: closed.id, action: "never")], [first], [NewEntry(stream: stream.id, action: "3")],
        ]
        let before = transactions.value
        #expect(
            try await results(of: batches.map { Batch(entries: $0) }, in: journal) == [
                "step 2", "dispatch-id-reused", "dispatch-id-reused", "bad-argument", "bad-argument", "closed",
                "step 1", "step 3",
            ])
        #expect(transactions.value == before + 1)
        #expect(try journal.reader.entries(in: "a").map(\.action) == ["1", "2", "3"])
        #expect(try await journal.verify().isSound)
    }

    @Test func `of streams that are opened together, one whose row is damaged fails alone, and the error names it`()
        async throws
    {
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        for name in ["a", "b"] { try await journal.openStream(name, machine: "m").close() }
        try Shell(path)("UPDATE stream SET machine = 'other' WHERE name = 'a'")
        let results = try await journal.writer.exclusively { state -> [String] in
            let openings = ["a", "b", "c"].map { StreamOpening(name: $0, machine: "m", isLog: true) { _ in } }
            return state.open(openings).map { result -> String in
                switch result {
                case .success(let opened): "opened \(opened.stream.value.name)"
                case .failure(let error): "\(error.code) in \(error.stream ?? "no stream")"
                }
            }
        }
        #expect(results == ["corrupt in a", "opened b", "opened c"])
    }

    @Test func `an error in a record names its stream and step`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        var batch = Batch()
        batch.steps = [StepRecord(stream: stream.id, step: 99)]
        let error = await journalError { try await journal.commit(batch) }
        #expect(error?.code == .notStorable)
        #expect(error?.stream == "a")
        #expect(error?.step == 99)
    }
}
