import Testing

@testable import JournalStore

@Suite struct `Scheduling, the outcome buffer` {
    private let buffer: OutcomeBuffer
    private let owner = Owner()
    private var results: Box<[Result<Int, JournalError>]> { owner.results }
    private let stream = StreamID(rawValue: 1)
    private let watermark = SettlementWatermark(0)

    init() throws {
        var options = Journal.Options()
        // Long, so that only the test takes records.
        options.idleDelay = .seconds(1_000_000)
        let journal = try Journal.inMemory(options: options)
        buffer = OutcomeBuffer(stream: stream, writer: journal.writer, watermark: watermark)
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

    @Test func `an empty buffer has nothing to take`() {
        #expect(buffer.take(.soon) == nil)
        buffer.add(settled: nil, changes: 3)
        #expect(buffer.take(.soon) == nil)
    }

    @Test func `records are taken once, steps in order`() {
        buffer.add(settled: 1, steps: [StepRecord(stream: stream, step: 1)], changes: 1)
        buffer.add(settled: 2, steps: [StepRecord(stream: stream, step: 2)], changes: 2)
        let batch = buffer.take(.soon)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.steps.map(\.step) == [1, 2])
        #expect(buffer.take(.soon) == nil)
    }

    @Test func `only the newest record of each run and each queue is kept`() {
        buffer.add(settled: 1, runs: [run(1, .waiting), run(2, .waiting)], queues: [queue("a", "old")], changes: 3)
        let queues = [queue("a", "new"), queue("b", "only")]
        buffer.add(settled: nil, runs: [run(1, .running)], queues: queues, changes: 6)
        let batch = buffer.take(.soon)
        #expect(statuses(batch) == [1: .running, 2: .waiting])
        #expect(Set((batch?.queues ?? []).map(\.policy)) == ["new", "only"])
        #expect(batch?.settled == [stream: 1])
    }

    @Test func `runs of one step are distinguished by their ordinals`() {
        var second = run(1, .waiting)
        second.ordinal = 1
        buffer.add(settled: 1, runs: [run(1, .running), second], changes: 2)
        #expect(buffer.take(.soon)?.runs.count == 2)
    }

    @Test
    func `an intervention is in the transaction of the record that it changes, also if that has to be tried again`() {
        var recorder = OutcomeRecorder(buffer)
        recorder.record(run(1, .cancelled))
        recorder.record(Intervention(act: .cancel, step: 1, ordinal: 0, time: .now(), before: .running))
        recorder.keep(changes: 1)
        for isLast in [false, true] {
            let batch = buffer.take(.soon) ?? buffer.take(.patient)
            #expect(statuses(batch) == [1: .cancelled])
            #expect(batch?.interventions[stream]?.map(\.act) == [.cancel])
            buffer.wasWritten(isLast ? .success(()) : .failure(full))
        }
        #expect(buffer.take(.soon) == nil)
    }

    // MARK: Steps without records

    @Test func `a step without records moves the watermark, and is taken if no entry has recorded it`() {
        buffer.add(settled: 1)
        buffer.add(settled: 2)
        #expect(watermark.reached == 2)
        let batch = buffer.take(.soon)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.records == nil)
    }

    @Test func `a settled step that an entry has recorded is not taken`() {
        buffer.add(settled: 1)
        watermark.noted = 1
        #expect(buffer.take(.soon) == nil)
        buffer.add(settled: 2)
        #expect(buffer.take(.soon)?.settled == [stream: 2])
    }

    @Test func `the watermark stays until the records before it are on the disk`() {
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 1)
        buffer.add(settled: 2)
        #expect(watermark.reached == 0)
        #expect(buffer.take(.soon)?.settled == [stream: 2])
        buffer.add(settled: 3)
        #expect(watermark.reached == 0)
        buffer.wasWritten(.success(()))
        #expect(buffer.take(.soon)?.settled == [stream: 3])
        buffer.wasWritten(.success(()))
        buffer.add(settled: 4)
        #expect(watermark.reached == 4)
    }

    @Test func `an end with an error says that records were dropped, also if a transaction of older ones succeeds`() {
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 1)
        _ = buffer.take(.soon)
        buffer.add(settled: nil, runs: [run(1, .cancelled)], changes: 2)
        buffer.end(refused)
        #expect(buffer.failure == refused)
        buffer.wasWritten(.success(()))
        #expect(buffer.failure == refused)
    }

    @Test func `an end with an error drops nothing if all is written`() {
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 1)
        _ = buffer.take(.soon)
        buffer.wasWritten(.success(()))
        buffer.end(refused)
        #expect(buffer.failure == nil)
    }

    @Test func `a settled step is taken once, and again if its transaction failed`() {
        buffer.add(settled: 1)
        #expect(buffer.take(.soon)?.settled == [stream: 1])
        #expect(buffer.take(.soon) == nil)
        buffer.wasWritten(.failure(full))
        #expect(buffer.take(.soon)?.settled == [stream: 1])
    }

    @Test func `a settled step is taken together with the records of runs that ended since`() {
        buffer.add(settled: 8)
        buffer.add(settled: nil, runs: [run(7, .completed)], changes: 1)
        let batch = buffer.take(.soon)
        #expect(batch?.settled == [stream: 8])
        #expect(statuses(batch) == [7: .completed])
        #expect(buffer.take(.patient) == nil)
    }

    @Test func `records added while a transaction is under way are taken after it`() {
        buffer.add(settled: 1)
        _ = buffer.take(.patient)
        buffer.add(settled: nil, runs: [run(1, .running)], changes: 1)
        #expect(buffer.take(.soon) == nil)
        buffer.wasWritten(.success(()))
        #expect(statuses(buffer.take(.soon)) == [1: .running])
    }

    @Test func `the watermark stays after the end`() {
        buffer.end()
        buffer.add(settled: 1)
        #expect(watermark.reached == 0)
        #expect(buffer.take(.soon) == nil)
    }

    // MARK: Results

    @Test func `the callback gets the number of changes on the disk, without those added meanwhile`() {
        connect()
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 4)
        _ = buffer.take(.soon)
        buffer.add(settled: 2, runs: [run(2, .running)], changes: 9)
        buffer.wasWritten(.success(()))
        #expect(results.value == [.success(4)])
        _ = buffer.take(.soon)
        buffer.wasWritten(.success(()))
        #expect(results.value == [.success(4), .success(9)])
    }

    @Test func `records that met a full disk are taken again`() {
        connect()
        buffer.add(
            settled: 1, steps: [StepRecord(stream: stream, step: 1)], runs: [run(1, .running)],
            queues: [queue("a", "old")], changes: 4)
        _ = buffer.take(.soon)
        buffer.wasWritten(.failure(full))
        #expect(results.value == [.failure(full)])
        let again = buffer.take(.soon)
        #expect(again?.settled == [stream: 1])
        #expect(again?.steps.map(\.step) == [1])
        #expect(statuses(again) == [1: .running])
        #expect(again?.queues.map(\.policy) == ["old"])
        buffer.wasWritten(.success(()))
        #expect(results.value == [.failure(full), .success(4)])
    }

    @Test func `records added later replace records that met a full disk`() {
        connect()
        buffer.add(
            settled: 1, steps: [StepRecord(stream: stream, step: 1)], runs: [run(1, .waiting), run(2, .waiting)],
            queues: [queue("a", "old"), queue("b", "old")], changes: 4)
        _ = buffer.take(.soon)
        buffer.add(
            settled: 2, steps: [StepRecord(stream: stream, step: 2)], runs: [run(1, .running)],
            queues: [queue("a", "new")], changes: 7)
        buffer.wasWritten(.failure(full))
        let batch = buffer.take(.soon)
        #expect(batch?.settled == [stream: 2])
        #expect(batch?.steps.map(\.step) == [1, 2])
        #expect(statuses(batch) == [1: .running, 2: .waiting])
        #expect((batch?.queues ?? []).map { "\($0.key) \($0.policy)" }.sorted() == ["a new", "b old"])
        buffer.wasWritten(.success(()))
        #expect(results.value.last == .success(7))
    }

    @Test func `rejected records hold the watermark, are tried again, and are reported once`() {
        connect()
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 4)
        for round in 1...3 {
            #expect(statuses(buffer.take(.soon)) == [1: .running])
            buffer.wasWritten(.failure(refused))
            buffer.add(settled: 1 + round)
            #expect(watermark.reached == 0)
            #expect(buffer.failure == refused)
        }
        #expect(watermark.isBlocked)
        #expect(watermark.isStuck() && watermark.isStuck())
        let batch = buffer.take(.soon)
        #expect(batch?.settled == [stream: 4])
        watermark.noted = 4
        buffer.wasWritten(.success(()))
        #expect(watermark.reached == 4)
        #expect(buffer.failure == nil)
        #expect(buffer.take(.soon) == nil)
        #expect(!watermark.isBlocked)
        #expect(results.value == [.failure(refused), .failure(refused), .failure(refused), .success(4)])
    }

    @Test func `runs and queues are written in the order of their keys`() {
        buffer.add(settled: 1, runs: (1...20).reversed().map { run($0, .running) }, changes: 20)
        #expect(buffer.take(.soon)?.runs.map(\.step) == Array(1...20))
    }

    @Test func `after the end nothing is taken, put back or reported`() {
        connect()
        buffer.add(settled: 1, runs: [run(1, .running)], changes: 4)
        _ = buffer.take(.soon)
        buffer.add(settled: 2, changes: 4)
        buffer.end()
        #expect(buffer.take(.soon) == nil)
        buffer.wasWritten(.failure(full))
        #expect(buffer.take(.soon) == nil)
        buffer.add(settled: 3, runs: [run(3, .running)], changes: 5)
        #expect(buffer.take(.soon) == nil)
        #expect(results.value.isEmpty)
    }

    private func connect() {
        buffer.connect(owner)
    }
}

/// Keeps what it learns.
private final class Owner: OpenStore {
    let machine = "play"
    let (hasMiddleware, hasStream) = (false, true)
    let results = Box<[Result<Int, JournalError>]>([])

    func wereWritten(_ changes: Result<Int, JournalError>) { results.change { $0.append(changes) } }

    func beginClosing() {}
    var hasStartedBodies: Bool { false }
    func stopBodies() async {}
    func closeWithJournal() async -> JournalError? { nil }
    func cancelEffects(ofDispatch step: Int) async throws(JournalError) {}
    func intervene(_: Intervention.Act, _: RunKey, _: Intervention.Remarks) async throws(JournalError) {}
    func take(_ delivery: Delivery) {}
}

extension OutcomeBuffer {
    fileprivate func add(
        settled: Int?, steps: [StepRecord] = [], runs: [EffectRun] = [], queues: [QueueMemory] = [], changes: Int
    ) {
        let records = OutcomeRecords()
        (records.steps, records.changes) = (steps, changes)
        for run in runs { records.runs[run.key] = run }
        for queue in queues { records.queues[queue.key] = queue }
        add(settled: settled, records)
    }
}
