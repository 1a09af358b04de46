import Testing
import TortureKit

@testable import JournalStore

/// Only what needs the page fails, also if it shares a transaction with others.
@Suite struct `A damaged page of one stream`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// The streams a and b. A page with the first dispatch IDs of a cannot be read.
    private func streams() async throws -> (journal: Journal, a: JournalStream, b: JournalStream) {
        let before = try openJournal(path)
        for name in ["a", "b"] {
            let stream = try await before.openStream(name, machine: "m")
            let entries = (100..<500).map { number in
                NewEntry(stream: stream.id, action: "1", dispatchID: "request-\(number)")
            }
            _ = try await before.commit(Batch(entries: entries))
        }
        try await before.close()
        let leaves = try sql("SELECT pageno FROM dbstat WHERE name = 'dispatch_id' AND pagetype = 'leaf' ORDER BY path")
        let page = try #require(leaves.first.flatMap { Int($0) })
        let size = try #require(try sql("PRAGMA page_size").first.flatMap { Int($0) })
        try damage(path, at: (page - 1) * size) { $0 = 0x77 }
        let journal = try openJournal(path)
        let a = try await journal.openStream("a", machine: "m")
        return (journal, a, try await journal.openStream("b", machine: "m"))
    }

    private func repeated(_ stream: JournalStream) -> Batch {
        Batch(entries: [NewEntry(stream: stream.id, action: "1", dispatchID: "request-100")])
    }

    @Test func `dispatches to other streams are committed`() async throws {
        let (journal, a, b) = try await streams()
        let results = Box<[String]>([])
        let done = Signal()
        let batches = [Batch(entries: [NewEntry(stream: b.id, action: "2")]), repeated(a), repeated(b)]
        journal.writer.submit(
            batches.map { batch in
                Submission(batch) { result in
                    let text: String =
                        switch result {
                        case .success(let entries): entries[0].isRepeat ? "repeated" : "\(entries[0].step)"
                        case .failure(let error): "\(error.code)"
                        }
                    results.change { $0.append(text) }
                    done.send()
                }
            })
        await done.wait(times: 3)
        #expect(results.value == ["401", "corrupt", "repeated"])
        #expect(try await b.append("3").step == 402)
        try await journal.close()
    }

    @Test func `records of other streams are written`() async throws {
        let (journal, a, b) = try await streams()
        let sources = [Records(repeated(a)), Records(repeated(b)), Records(repeated(a))]
        for source in sources { journal.writer.deferWrite(of: source, .soon) }
        #expect(try await b.append("2").step == 401)
        #expect(sources.map(\.result.value) == [.corrupt, nil, .corrupt])
        try await journal.close()
    }
}

/// Writes a batch with the next transaction.
private final class Records: DeferredWriteSource {
    private let batch: Batch
    /// The error, or nil if it was written.
    let result = Box<JournalError.Code?>(.closed)

    init(_ batch: Batch) { self.batch = batch }

    func take(_ urgency: DeferredWriteQueue.Urgency) -> Batch? { batch }

    func wasWritten(_ result: Result<Void, JournalError>) {
        self.result.change { kept in
            if case .failure(let error) = result { kept = error.code } else { kept = nil }
        }
    }

    func isStuck() -> Bool { false }
}
