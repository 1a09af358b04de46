import Testing
import TortureKit

@testable import JournalStore

/// A stream's row that is changed by hand while an app has the stream open.
@Suite struct `A changed row of a stream` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    @Test(arguments: [
        "name = 'z'", "machine = 'z'", "created = created + 1", "seed = zeroblob(16)", "pruned_step = 1",
        "crash_loop = '{}'", "settled_step = 1", "begun = 1",
    ])
    func `an append does not write over it, and names the stream`(_ change: String) async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try Shell(path)("UPDATE stream SET \(change)")
        let error = await journalError { try await stream.append("2") }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the row of the stream 'a' is not what was written") == true)
        #expect(try journal.reader.entries(after: 0, limit: 10).map(\.action) == ["1"])
        // The damage is still found, as nothing has computed the digest anew.
        #expect(try JournalReader(path: path).verify().problems.contains { $0.message.contains("another digest") })
        try await journal.close()
    }

    @Test func `only its own batches of a transaction fail`() async throws {
        let journal = try Journal(path: path)
        let (first, second) = (
            try await journal.openStream("a", machine: "m"), try await journal.openStream("b", machine: "m")
        )
        try Shell(path)("UPDATE stream SET created = created + 1 WHERE name = 'a'")
        let results = try await journal.writer.exclusively { state -> [String] in
            let batches = [first, second, first].map { stream -> Submission in
                Submission(Batch(entries: [NewEntry(stream: stream.id, action: "1")])) { _ in }
            }
            let committed = state.commit(batches)
            return batches.indices.map { index -> String in
                switch committed[index] {
                case .success(let appended): "step \(appended.map(\.step))"
                case .failure(let error): "\(error.code) in \(error.stream ?? "no stream")"
                }
            }
        }
        #expect(results == ["corrupt in a", "step [1]", "corrupt in a"])
        #expect(try journal.reader.entries(after: 0, limit: 10).map(\.stream) == ["b"])
        try await journal.close()
    }

    @Test func `a crash loop and a pruning do not write over it`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3"])
        var batch = Batch()
        batch.settled = [stream.id: 3]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("2", at: 2)
        try Shell(path)("UPDATE stream SET created = created + 1")
        let crashLoop = await journalError {
            var batch = Batch()
            batch.crashLoops = [stream.id: "{}"]
            _ = try await journal.commit(batch)
        }
        #expect(crashLoop?.code == .corrupt)
        #expect(await journalError { try await journal.prune("a", before: 3) }?.code == .corrupt)
        #expect(try JournalReader(path: path).verify().problems.contains { $0.message.contains("another digest") })
    }

    @Test func `an open stream goes on after a crash loop was recorded, and after a pruning`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3"])
        for record in ["{}", nil] {
            var batch = Batch()
            batch.crashLoops = [stream.id: record]
            batch.settled = [stream.id: 3]
            _ = try await journal.commit(batch)
            try await stream.append("more")
        }
        try await stream.saveSnapshot("2", at: 2)
        try await journal.prune("a", before: 3)
        #expect(try await stream.append("last").step == 6)
        #expect(try await journal.verify().isSound)
    }
}
