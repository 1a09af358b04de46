import Testing

@testable import JournalStore

@Suite struct `Scheduling, the identity of a queue` {
    private let directory = Box(QueueDirectory())
    private let record = QueueRecord(rule: QueueRule(Lane()), since: RunKey(step: 1))

    private func text(_ queue: some EffectQueue) throws -> String { try JSONCodec().encode(AnyEffectID(queue)) }

    private func id(of queue: some EffectQueue) throws -> QueueDirectory.ID {
        let text = try text(queue)
        return directory.change { $0.id(of: queue, text: text) }
    }

    private func remember(_ queue: some EffectQueue) throws {
        let text = try text(queue)
        _ = directory.change { $0.remember(text, record) }
    }

    @Test func `equal instances are one queue, under the text of the first`() throws {
        let first = try id(of: Lane(note: 1))
        #expect(try id(of: Lane(note: 2)) == first)
        #expect(try id(of: Lane(name: "other")) != first)
        #expect(try directory.value.text(of: first) == text(Lane(note: 1)))
    }

    @Test func `an instance finds the stored queue that equals it`() throws {
        try remember(Lane(name: "other"))
        try remember(Lane(note: 1))
        try remember(JobQueue(name: "lane"))
        let found = try id(of: Lane(note: 2))
        #expect(try directory.value.text(of: found) == text(Lane(note: 1)))
        #expect(try id(of: StoredQueue(text: text(Lane(note: 1)), rule: record.rule)) == found)
    }

    @Test func `an instance in a scope finds the stored queue of that scope`() throws {
        func scoped(_ scope: String, _ queue: some EffectQueue) -> ScopedQueue {
            ScopedQueue(scope: scope, queue: queue)
        }
        for queue in [scoped("a", JobQueue(name: "lane")), scoped("a", Lane(note: 1)), scoped("b", Lane(note: 1))] {
            try remember(queue)
        }
        let found = try id(of: scoped("b", Lane(note: 2)))
        #expect(try directory.value.text(of: found) == text(scoped("b", Lane(note: 1))))
        let twice = try id(of: scoped("b", scoped("a", Lane())))
        #expect(try directory.value.text(of: twice) == text(scoped("b", scoped("a", Lane()))))
    }

    /// Its values are never equal after they were decoded.
    private struct Odd: Newest1EffectQueue {
        let id: Int
        init(id: Int) { self.id = id }
        init(from decoder: any Decoder) throws { id = -1 }
    }

    @Test func `a queue that cannot be compared after it was decoded is found by its text`() throws {
        try remember(Odd(id: 1))
        try remember(Odd(id: 2))
        let found = try id(of: Odd(id: 2))
        #expect(try directory.value.text(of: found) == text(Odd(id: 2)))
        #expect(directory.value.record(of: found) != nil)
    }

    @Test func `a queue is forgotten when it is dropped, unless it is stored`() throws {
        let first = try id(of: Lane(note: 1))
        directory.change { $0.drop(first) }
        let second = try id(of: Lane(note: 2))
        #expect(second != first)
        let stored = directory.change { $0.store(record, of: second) }
        #expect(try stored == text(Lane(note: 2)))
        directory.change { $0.drop(second) }
        #expect(try id(of: Lane(note: 3)) == second)
    }

    @Test func `a stored queue that is forgotten and dropped is a new one for the next instance`() throws {
        try remember(Lane(note: 1))
        let stored = try id(of: Lane(note: 2))
        let row = directory.change { $0.forget(stored) }
        #expect(try row == text(Lane(note: 1)))
        let again = directory.change { $0.forget(stored) }
        #expect(again == nil)
        #expect(try id(of: Lane(note: 3)) == stored, "it is there until it is dropped")
        directory.change { $0.drop(stored) }
        let next = try id(of: Lane(note: 4))
        #expect(next != stored)
        #expect(try directory.value.text(of: next) == text(Lane(note: 4)))
    }

    @Test func `a queue that was decoded and not used is a new one after it is dropped`() throws {
        try remember(Lane(name: "other", note: 1))
        let row = try text(Lane(name: "other", note: 1))
        let other = try #require(directory.value.id(storedAs: row))
        // All lanes are decoded.
        _ = try id(of: Lane())
        _ = directory.change { $0.forget(other) }
        directory.change { $0.drop(other) }
        let next = try id(of: Lane(name: "other", note: 2))
        #expect(next != other)
        #expect(try directory.value.text(of: next) == text(Lane(name: "other", note: 2)))
    }

    @Test func `a retried run finds the queue that equals its forgotten one`() throws {
        let live = try id(of: Lane(note: 2))
        _ = try id(of: JobQueue(name: "lane"))
        for note in 1...2 {
            #expect(try id(of: StoredQueue(text: text(Lane(note: note)), rule: record.rule)) == live)
        }
        #expect(try id(of: StoredQueue(text: text(Lane(name: "other")), rule: record.rule)) != live)
        // All values of this type are equal after they were decoded, so an equal text decides.
        let odd = try id(of: Odd(id: 1))
        #expect(try id(of: StoredQueue(text: text(Odd(id: 1)), rule: record.rule)) == odd)
        #expect(try id(of: StoredQueue(text: text(Odd(id: 2)), rule: record.rule)) != odd)
    }

    @Test func `of two stored queues that are equal an instance finds the one that was not forgotten`() throws {
        for (name, forgotten) in [("a", 1), ("b", 2)] {
            for note in 1...2 {
                let row = try text(Lane(name: name, note: note))
                let stored = note == forgotten ? QueueRecord.substitute : record
                _ = directory.change { $0.remember(row, stored) }
            }
            let found = try id(of: Lane(name: name, note: 3))
            #expect(try directory.value.text(of: found) == text(Lane(name: name, note: 3 - forgotten)))
        }
    }

    /// All have the same text.
    private struct Mute: Newest1EffectQueue {
        var id = 0
        private enum CodingKeys: CodingKey {}
    }

    @Test func `the row of two queues with one text is deleted with the second`() throws {
        let ids = try [id(of: Mute(id: 1)), id(of: Mute(id: 2))]
        #expect(ids[0] != ids[1])
        for id in ids { _ = directory.change { $0.store(record, of: id) } }
        let rows = ids.map { id in directory.change { $0.forget(id) } }
        #expect(try rows == [nil, text(Mute())])
    }

    @Test func `the row of an earlier process is kept while another queue with its text needs it`() throws {
        try remember(Mute(id: 1))
        let ids = try [id(of: Mute(id: 1)), id(of: Mute(id: 2))]
        #expect(ids[0] != ids[1])
        _ = directory.change { $0.store(record, of: ids[1]) }
        let rows = ids.map { id in directory.change { $0.forget(id) } }
        #expect(try rows == [nil, text(Mute())])
    }

    // MARK: The stored rule

    @Test func `a rule is stored with the place that brought it`() throws {
        let record = QueueRecord(rule: QueueRule(Lane(maxCount: 2, delay: 3)), since: RunKey(step: 17, ordinal: 4))
        let text = try JSONCodec().encode(record)
        #expect(text == #"{"delay":[3000000,3000000],"maxCount":2,"policy":"suspendNew","since":[17,4]}"#)
        #expect(try JSONCodec().decode(QueueRecord.self, from: text) == record)
        let older = try JSONCodec().decode(QueueRecord.self, from: #"{"maxCount":2,"policy":"runNewest"}"#)
        #expect(older.since == RunKey(step: 0))
    }
}

@Suite struct `Scheduling, cancel IDs of dispatches` {
    private func text(_ id: some EffectID) throws -> String { try JSONCodec().encode(AnyEffectID(id)) }

    @Test func `an ID finds the dispatches with equal IDs until they are removed`() throws {
        var ids = CancelIDs()
        ids.insert(1, try text(Ticket(name: "a", note: 1)))
        ids.insert(2, try text(Ticket(name: "a", note: 2)))
        ids.insert(3, try text(Ticket(name: "b")))
        ids.insert(4, try text(JobID("a")))
        func found(_ id: some EffectID) throws -> Set<Int> { ids.steps(of: AnyEffectID(id), text: try text(id)) }
        #expect(try found(Ticket(name: "a", note: 3)) == [1, 2])
        ids.insert(5, try text(Ticket(name: "a", note: 5)))
        ids.remove(1)
        #expect(try found(Ticket(name: "a", note: 3)) == [2, 5])
        #expect(try found(JobID("a")) == [4])
        for step in 2...5 { ids.remove(step) }
        #expect(ids.isEmpty)
        #expect(try found(Ticket(name: "a", note: 3)) == [])
    }
}
