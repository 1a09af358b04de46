import Testing

@testable import JournalStore

@Suite struct `Scheduling, outcomes on their way to the disk` {
    private let pending: OutcomeBuffer
    private let told = Box<[Result<Int, JournalError>]>([])
    private let stream = StreamID(rawValue: 1)
    private let mark = SettlementWatermark(0)

    init() throws {
        var options = Journal.Options()
        // Nobody takes anything but the test.
        options.idleDelay = .seconds(1_000_000)
        let journal = try Journal.inMemory(options: options)
        pending = OutcomeBuffer(stream: stream, writer: journal.writer, mark: mark)
    }

    private func run(_ step: Int, _ status: EffectRun.Status) -> EffectRun {
        EffectRun(stream: stream, step: step, ordinal: 0, rootStep: step, name: "job", status: status)
    }

    private func queue(_ key: String, _ policy: String) -> QueueMemory {
        QueueMemory(stream: stream, key: key, policy: policy, lastStart: nil)
    }

    private func statuses(_ batch: Batch?) -> [Int: EffectRun.Status] {
        Dictionary(uniqueKeysWithValues: (batch?.runs ?? []).map { ($0.step, $0.status) })
    }

    private let full = JournalError(.diskFull, "The disk is full.")
    private let refused = JournalError(.badArgument, "A row was refused.")

    // MARK: Taking

    @Test func `nothing is taken where there is nothing`() {
        #expect(pending.take(.none) == nil)
        pending.add(settled: nil, changes: 3)
        #expect(pending.take(.none) == nil)
    }

    @Test func `what was added is taken once, steps in order`() {
        pending.add(settled: 1, steps: [StepRecord(stream: stream, step: 1)], changes: 1)
        pending.add(settled: 2, steps: [StepRecord(stream: stream, step: 2)], changes: 2)
        let batch = pending.take(.none)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.steps.map(\.step) == [1, 2])
        #expect(pending.take(.none) == nil)
    }

    @Test func `of each run and each queue only the newest record is kept`() {
        pending.add(settled: 1, runs: [run(1, .waiting), run(2, .waiting)], queues: [queue("a", "old")], changes: 3)
        let queues = [queue("a", "new"), queue("b", "only")]
        pending.add(settled: nil, runs: [run(1, .running)], queues: queues, changes: 6)
        let batch = pending.take(.none)
        #expect(statuses(batch) == [1: .running, 2: .waiting])
        #expect(Set((batch?.queues ?? []).map(\.policy)) == ["new", "only"])
        #expect(batch?.settled == [stream: 1])
    }

    @Test func `effects of one step are told apart by their place`() {
        var second = run(1, .waiting)
        second.ordinal = 1
        pending.add(settled: 1, runs: [run(1, .running), second], changes: 2)
        #expect(pending.take(.none)?.runs.count == 2)
    }

    // MARK: What came to nothing but a new state

    @Test func `a step without records is marked, and taken where the stream has no entry of its own`() {
        pending.add(settled: 1)
        pending.add(settled: 2)
        #expect(mark.reached == 2)
        let batch = pending.take(.none)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.records == nil)
    }

    @Test func `what the stream's own entry has noted is not taken`() {
        pending.add(settled: 1)
        mark.noted = 1
        #expect(pending.take(.none) == nil)
        pending.add(settled: 2)
        #expect(pending.take(.none)?.settled == [stream: 2])
    }

    @Test func `nothing is marked before the records behind it are on the disk`() {
        pending.add(settled: 1, runs: [run(1, .running)], changes: 1)
        pending.add(settled: 2)
        #expect(mark.reached == 0)
        #expect(pending.take(.none)?.settled == [stream: 2])
        pending.add(settled: 3)
        #expect(mark.reached == 0)
        pending.wasWritten(.success(()))
        #expect(pending.take(.none)?.settled == [stream: 3])
        pending.wasWritten(.success(()))
        pending.add(settled: 4)
        #expect(mark.reached == 4)
    }

    @Test func `what was marked is taken once in a transaction, and again where that failed`() {
        pending.add(settled: 1)
        #expect(pending.take(.none)?.settled == [stream: 1])
        #expect(pending.take(.none) == nil)
        pending.wasWritten(.failure(full))
        #expect(pending.take(.none)?.settled == [stream: 1])
    }

    @Test func `what was marked goes with the records of what ended since`() {
        pending.add(settled: 8)
        pending.add(settled: nil, runs: [run(7, .completed)], changes: 1)
        let batch = pending.take(.none)
        #expect(batch?.settled == [stream: 8])
        #expect(statuses(batch) == [7: .completed])
        #expect(pending.take(.some) == nil)
    }

    @Test func `what was added while it was taken twice is not forgotten`() {
        pending.add(settled: 1)
        _ = pending.take(.some)
        pending.add(settled: nil, runs: [run(1, .running)], changes: 1)
        #expect(pending.take(.none) == nil)
        pending.wasWritten(.success(()))
        #expect(statuses(pending.take(.none)) == [1: .running])
    }

    @Test func `nothing is marked after the end`() {
        pending.end()
        pending.add(settled: 1)
        #expect(mark.reached == 0)
        #expect(pending.take(.none) == nil)
    }

    // MARK: What became of it

    @Test func `it tells how many changes are on the disk, not how many there are meanwhile`() {
        connect()
        pending.add(settled: 1, runs: [run(1, .running)], changes: 4)
        _ = pending.take(.none)
        pending.add(settled: 2, runs: [run(2, .running)], changes: 9)
        pending.wasWritten(.success(()))
        #expect(told.value == [.success(4)])
        _ = pending.take(.none)
        pending.wasWritten(.success(()))
        #expect(told.value == [.success(4), .success(9)])
    }

    @Test func `what did not fit is taken again`() {
        connect()
        pending.add(
            settled: 1, steps: [StepRecord(stream: stream, step: 1)], runs: [run(1, .running)],
            queues: [queue("a", "old")], changes: 4)
        _ = pending.take(.none)
        pending.wasWritten(.failure(full))
        #expect(told.value == [.failure(full)])
        let again = pending.take(.none)
        #expect(again?.settled == [stream: 1])
        #expect(again?.steps.map(\.step) == [1])
        #expect(statuses(again) == [1: .running])
        #expect(again?.queues.map(\.policy) == ["old"])
        pending.wasWritten(.success(()))
        #expect(told.value == [.failure(full), .success(4)])
    }

    @Test func `what was added since is newer than what did not fit`() {
        connect()
        pending.add(
            settled: 1, steps: [StepRecord(stream: stream, step: 1)], runs: [run(1, .waiting), run(2, .waiting)],
            queues: [queue("a", "old"), queue("b", "old")], changes: 4)
        _ = pending.take(.none)
        pending.add(
            settled: 2, steps: [StepRecord(stream: stream, step: 2)], runs: [run(1, .running)],
            queues: [queue("a", "new")], changes: 7)
        pending.wasWritten(.failure(full))
        let batch = pending.take(.none)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.steps.map(\.step) == [1, 2])
        #expect(statuses(batch) == [1: .running, 2: .waiting])
        #expect((batch?.queues ?? []).map { "\($0.key) \($0.policy)" }.sorted() == ["a new", "b old"])
        pending.wasWritten(.success(()))
        #expect(told.value.last == .success(7))
    }

    @Test func `what was refused is not tried again`() {
        connect()
        pending.add(settled: 1, runs: [run(1, .running)], changes: 4)
        _ = pending.take(.none)
        pending.wasWritten(.failure(refused))
        #expect(pending.take(.none) == nil)
        #expect(told.value == [.failure(refused)])
    }

    @Test func `after the end nothing is taken, put back or told`() {
        connect()
        pending.add(settled: 1, runs: [run(1, .running)], changes: 4)
        _ = pending.take(.none)
        pending.add(settled: 2, changes: 4)
        pending.end()
        #expect(pending.take(.none) == nil)
        pending.wasWritten(.failure(full))
        #expect(pending.take(.none) == nil)
        pending.add(settled: 3, runs: [run(3, .running)], changes: 5)
        #expect(pending.take(.none) == nil)
        #expect(told.value.isEmpty)
    }

    private func connect() {
        pending.connect { [told] result in told.change { $0.append(result) } }
    }
}
