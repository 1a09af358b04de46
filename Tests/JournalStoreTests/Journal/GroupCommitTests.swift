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
        await done.wait(times: 5)
        #expect(results.value == ["step 1", "not-storable", "step 2", "closed", "step 3"])
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
            let openings = ["a", "b", "c"].map { StreamOpening(name: $0, machine: "m") { _ in } }
            return state.open(openings).map { result -> String in
                switch result {
                case .success(let opened): "opened \(opened.info.name)"
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
