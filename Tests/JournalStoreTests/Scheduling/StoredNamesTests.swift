import Testing

@testable import JournalStore

@Suite struct `Scheduling, restored runs known only by their texts` {
    private let bench = Bench()

    /// The text of a queue as it is stored, and the queue that is restored from it.
    private func stored(_ queue: JobQueue) -> (text: String, queue: StoredQueue) {
        let text = (try? JSONCodec().encode(AnyEffectID(queue))) ?? ""
        return (text, StoredQueue(text: text, rule: QueueRule(queue)))
    }

    private func request(_ number: Int, _ queue: JobQueue?, isStored: Bool, id: String? = nil) -> Scheduler.Request {
        var request = Bench.request(number)
        request.queue = queue
        if let queue {
            request.record.queueText = stored(queue).text
            if isStored { request.queue = stored(queue).queue }
        }
        if let id {
            let text = (try? JSONCodec().encode(AnyEffectID(JobID(id)))) ?? ""
            request.record.effectIDText = text
            request.id = isStored ? AnyEffectID(StoredID(text: text)) : AnyEffectID(JobID(id))
        }
        return request
    }

    private func restore(
        _ number: Int, as status: EffectRun.Status, _ queue: JobQueue? = nil, isStored: Bool = true, id: String? = nil
    ) {
        var request = request(number, queue, isStored: isStored, id: id)
        request.record.status = status
        request.record.attempts = status == .running ? 1 : 0
        bench.scheduler.restore(request, at: bench.now)
    }

    private func add(_ number: Int, _ queue: JobQueue? = nil, id: String? = nil) {
        bench.scheduler.add(request(number, queue, isStored: false, id: id), at: bench.now)
    }

    private func cancel(_ id: String) {
        let name = AnyEffectID(JobID(id))
        bench.scheduler.cancel(id: name, text: try? JSONCodec().encode(name), at: bench.now)
        bench.look()
    }

    // MARK: Queues

    @Test func `a restored run shares its queue with new runs, and they wait their turn`() {
        restore(1, as: .running, .suspending(1))
        restore(2, as: .waiting, .suspending(1))
        add(3, .suspending(1))
        #expect(bench.look() == [1])
        bench.complete(1)
        #expect(bench.look() == [2])
        bench.complete(2)
        #expect(bench.look() == [3])
        bench.complete(3)
        bench.look()
        #expect(bench.isForgotten)
    }

    @Test(arguments: [[true, false], [false, true]])
    func `a restored run shares its queue with a restored closure, whichever is first`(_ isStored: [Bool]) {
        let record = QueueRecord(rule: QueueRule(JobQueue.suspending(1)), since: Bench.key(1))
        bench.scheduler.remember(stored(.suspending(1)).text, record)
        restore(1, as: .running, .suspending(1), isStored: isStored[0])
        restore(2, as: .waiting, .suspending(1), isStored: isStored[1])
        #expect(bench.look() == [1])
        bench.complete(1)
        #expect(bench.look() == [2])
    }

    @Test func `a new run evicts a restored one`() {
        restore(1, as: .running, .newest(1))
        bench.look()
        add(2, .newest(1))
        bench.look()
        #expect(bench.stopped == [1])
        #expect(bench.end(1) == .evicted)
        #expect(bench.started == [1, 2])
    }

    @Test func `a new run is discarded if a restored one has the slot`() {
        restore(1, as: .running, .discarding(1))
        bench.look()
        add(2, .discarding(1))
        bench.look()
        #expect(bench.end(2) == .discarded)
    }

    @Test func `a queue of the same type with another name is independent`() {
        restore(1, as: .running, .suspending(1))
        add(2, .suspending(1, name: "other"))
        #expect(bench.look().sorted() == [1, 2])
    }

    @Test func `a new instance changes the rule of a restored queue, also as an update`() {
        restore(1, as: .running, .suspending(1))
        restore(2, as: .waiting, .suspending(1))
        restore(3, as: .waiting, .suspending(1))
        #expect(bench.look() == [1])
        bench.update(JobQueue.suspending(2), text: stored(.suspending(2)).text)
        #expect(bench.look() == [2])
        add(4, .suspending(4))
        #expect(bench.look() == [3, 4])
        #expect(bench.remembered.last?.name == stored(.suspending(1)).text)
    }

    @Test func `new runs share the queue among themselves after the restored ones have ended`() {
        restore(1, as: .running, .suspending(1))
        bench.look()
        bench.complete(1)
        bench.look()
        add(2, .suspending(1))
        add(3, .suspending(1))
        #expect(bench.look() == [2])
        bench.complete(2)
        #expect(bench.look() == [3])
    }

    @Test func `a queue's delay counts from the last start of an earlier process`() {
        let queue = JobQueue.suspending(2, delay: .constant(10))
        bench.now.tick = .seconds(100)
        let lastStart = Moment(tick: .seconds(96), date: bench.now.date)
        bench.scheduler.remember(
            stored(queue).text,
            QueueRecord(rule: QueueRule(queue), since: Bench.key(1), lastStart: lastStart))
        restore(1, as: .waiting, queue)
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(106)) == [1])
    }

    // MARK: IDs

    @Test func `a restored run is cancelled by its ID, and no other is`() {
        restore(1, as: .running, id: "a")
        restore(2, as: .running, id: "b")
        restore(3, as: .asked, id: "a")
        add(4, id: "a")
        bench.look()
        cancel("a")
        #expect(bench.stopped == [1, 4])
        #expect([1, 3, 4].allSatisfy { bench.end($0) == .cancelled })
        #expect(bench.end(2) == nil)
        cancel("b")
        #expect(bench.isForgotten && !bench.scheduler.hasStoredIDs)
    }

    @Test func `a condition gets the ID of a restored run`() {
        restore(1, as: .running, id: "a")
        restore(2, as: .running, id: "b")
        restore(3, as: .running)
        bench.look()
        bench.scheduler.cancel(where: { $0?.as(JobID.self)?.name == "b" }, at: bench.now)
        bench.look()
        #expect(bench.stopped == [2])
    }
}
