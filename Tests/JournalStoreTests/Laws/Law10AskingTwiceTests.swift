import JournalStore
import Testing
import TortureKit

@Suite struct `Law 10, asking twice is asking once` {
    @Test func `a repeated dispatch ID returns the first step and appends nothing`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal: Journal? = try Journal(path: path)
        var stream = try await journal?.openStream("a", machine: "m")
        let first = try await stream?.append("1", id: "order-7")
        #expect(first?.placed == Placed(step: 1, position: 1, isRepeat: false))
        let again = try await stream?.append("1", id: "order-7")
        #expect(again?.placed == Placed(step: 1, position: 1, isRepeat: true))

        // After a restart too.
        try await journal?.close()
        (journal, stream) = (nil, nil)
        let reopened = try Journal(path: path)
        let same = try await reopened.openStream("a", machine: "m")
        #expect(try await same.append("1", id: "order-7").placed == Placed(step: 1, position: 1, isRepeat: true))
        #expect(try reopened.reader.entries(in: "a").count == 1)
    }

    @Test func `a dispatch ID with another action is an error that names the first step`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await stream.append("2", id: "order-7")
        let error = await journalError { try await stream.append("3", id: "order-7") }
        #expect(error?.code == .dispatchIDReused)
        #expect(error?.step == 2)
        #expect(error?.stream == "a")
        #expect(try await stream.append("4").step == 3)
    }

    @Test func `a dispatch ID is local to its stream`() async throws {
        let journal = try Journal.inMemory()
        let one = try await journal.openStream("a", machine: "m")
        let two = try await journal.openStream("b", machine: "m")
        try await one.append("1", id: "order-7")
        #expect(try await two.append("2", id: "order-7").isRepeat == false)
    }

    @Test func `a hundred concurrent appends with one ID append one entry and return its step`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        let results = try await withThrowingTaskGroup(of: Appended.self) { group in
            for _ in 0..<100 { group.addTask { try await stream.append("1", id: "order-7") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter { !$0.isRepeat }.count == 1)
        #expect(Set(results.map(\.step)) == [1])
        #expect(try journal.reader.entries(in: "a").count == 1)
    }

    @Test func `a dispatch ID that occurs twice in a batch results in one entry`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        let entry = NewEntry(stream: stream.id, action: "1", dispatchID: "x")
        let appended = try await journal.commit(Batch(entries: [entry, entry]))
        #expect(appended.map(\.isRepeat) == [false, true])
        #expect(appended.map(\.step) == [1, 1])
    }

    @Test func `pruning keeps the dispatch IDs`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1", id: "order-7")
        for number in 2...10 { try await stream.append("\(number)") }
        try await stream.saveSnapshot("{}", at: 5)
        var batch = Batch()
        batch.settled = [stream.id: 10]
        _ = try await journal.commit(batch)
        try await journal.prune("a", before: 6)
        #expect(try await stream.append("1", id: "order-7").placed == Placed(step: 1, position: nil, isRepeat: true))
    }
}
