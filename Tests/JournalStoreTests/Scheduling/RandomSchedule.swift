import TortureKit

@testable import JournalStore

/// A scheduler under a random sequence of events, and what is wrong with what it commands.
///
/// Bodies are started and stopped as commanded, records go to a disk that is some way behind.
final class RandomSchedule {
    /// What was asked for, and what was seen of it.
    final class Seen {
        let request: Scheduler.Request
        let queue: JobQueue?
        var attempts = 0
        var isRunning = false
        var record: EffectRun?
        var onDisk: EffectRun?
        var final: EffectRun.Status?
        /// What had ended in its queue by the time of its start, and was to be on the disk before it.
        var needed: [RunKey] = []

        init(_ request: Scheduler.Request, in queue: JobQueue?) {
            self.request = request
            self.queue = queue
        }
    }

    let seed: UInt64
    var random: SplitMix
    var scheduler = Scheduler()
    var now = Moment(tick: .zero, date: Timestamp(microseconds: 1_700_000_000_000_000))
    var seen: [RunKey: Seen] = [:]
    /// Queues whose rule stays as it is.
    let fixed: [JobQueue]
    var changing: JobQueue
    private(set) var problems: [String] = []
    /// Runs that the journal was not told of at a look, though they were there.
    private(set) var unrecorded: Set<RunKey> = []
    private var step = 0
    /// What is on its way to the disk: the records, and how many changes that makes.
    private var underWay: [(records: [EffectRun], changes: Int)] = []
    private var records: [EffectRun] = []
    private var starts: [JobQueue: [(tick: Duration, key: RunKey)]] = [:]

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(seed: seed)
        let count = Int.random(in: 1...3, using: &random)
        let delay = EffectQueueDelay.constant(.seconds([0, 0, 4].randomElement(using: &random) ?? 0))
        fixed = [
            .newest(count, delay: delay, name: "newest"), .suspending(count, delay: delay, name: "suspending"),
            .discarding(count, delay: delay, name: "discarding"),
        ]
        changing = .suspending(count, name: "changing")
    }

    private func expect(_ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { problems.append(problem()) }
    }

    /// Some of the keys that meet a condition, the same each time.
    func keys(where condition: (Seen) -> Bool) -> [RunKey] {
        seen.values.filter(condition).map(\.request.key).sorted()
    }

    // MARK: Events

    func run(events: Int) {
        for _ in 0..<events {
            event()
            if Bool.random(using: &random) { look() }
        }
        drain()
    }

    private func event() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: add()
        case 8..<11: end()
        case 11: cancel()
        case 12: update()
        case 13..<16: turn()
        case 16..<18: hand()
        case 18: written()
        default: scheduler.isPaused.toggle()
        }
    }

    private func add() {
        step += 1
        let queue = ([nil, changing] + fixed).randomElement(using: &random) ?? nil
        let retries: [RetryPolicy] = [
            .never, .constant(maxAttempts: 3, delay: .seconds(2)), .constant(maxAttempts: 2, delay: .zero),
        ]
        var request = Bench.request(
            step, id: [nil, JobID("a"), JobID("b")].randomElement(using: &random) ?? nil, queue: queue,
            delay: .seconds([0, 0, 0, 3, 7].randomElement(using: &random) ?? 0),
            retry: retries.randomElement(using: &random) ?? .never,
            startsOnce: Int.random(in: 0..<4, using: &random) == 0, root: max(1, step - step % 3))
        request.isEphemeral = Int.random(in: 0..<8, using: &random) == 0
        let before = queue.map { queue in live(in: queue) } ?? []
        seen[request.key] = Seen(request, in: queue)
        let emitted = scheduler.changes
        scheduler.add(request, at: now)
        if let queue, fixed.contains(queue) { check(request.key, addedTo: queue, before: before) }
        expect(request.isEphemeral ? true : scheduler.changes >= emitted, "changes went back")
        execute()
    }

    private func end() {
        guard let key = keys(where: { $0.isRunning }).randomElement(using: &random) else { return }
        seen[key]?.isRunning = false
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: scheduler.failed(key, error: "broken", at: now)
        case 2: scheduler.completed(key, at: now)
        default: recordedEnd(key)
        }
        execute()
    }

    /// The last action of a run is committed with its record, and everything that was handed in before.
    private func recordedEnd(_ key: RunKey) {
        guard let seen = seen[key], !seen.request.isEphemeral, var record = seen.record else {
            return scheduler.completed(key, at: now)
        }
        hand()
        while !underWay.isEmpty { written() }
        record.status = .completed
        self.seen[key]?.record = record
        self.seen[key]?.onDisk = record
        scheduler.ended(key, record, at: now)
    }

    private func cancel() {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: scheduler.cancel(id: AnyEffectID(JobID("a")), roots: [step - step % 3], at: now)
        case 1: scheduler.cancel(where: { $0 == nil }, at: now)
        case 2: scheduler.cancel(id: AnyEffectID(JobID("b")), at: now)
        default:
            guard let key = keys(where: { $0.final == nil }).randomElement(using: &random) else { return }
            scheduler.cancel(key, at: now)
        }
        execute()
    }

    private func update() {
        let count = Int.random(in: 1...4, using: &random)
        let delay = EffectQueueDelay.constant(.seconds([0, 2, 5].randomElement(using: &random) ?? 0))
        changing =
            [
                .suspending(count, delay: delay, name: "changing"), .newest(count, delay: delay, name: "changing"),
                .discarding(count, delay: delay, name: "changing"),
            ].randomElement(using: &random) ?? changing
        if Bool.random(using: &random) { scheduler.update(changing) }
    }

    // MARK: Time and disk

    private func turn() {
        var tick = now.tick + .seconds(Int.random(in: 0...2, using: &random))
        if Bool.random(using: &random), let next = scheduler.nextWake { tick = max(now.tick, next) }
        now = Moment(tick: tick, date: now.date(at: tick))
        look()
    }

    func look() {
        let isPaused = scheduler.isPaused
        let before = seen.values.count { $0.isRunning }
        scheduler.pump(at: now)
        execute()
        if isPaused {
            expect(seen.values.count { $0.isRunning } <= before, "something started during a pause")
        } else {
            expect(scheduler.nextWake.map { $0 > now.tick } ?? true, "the next look is overdue")
        }
        for queue in fixed {
            let count = live(in: queue).count { isStarted($0) }
            expect(count <= queue.effectQueuePolicy.maxCount, "\(count) run in \(queue.name)")
        }
        for (key, seen) in seen where seen.final == nil && !seen.request.isEphemeral {
            guard let record = seen.record else {
                unrecorded.insert(key)
                continue
            }
            expect(record == scheduler.runs[key]?.record, "\(key.step) is recorded otherwise than it is")
        }
    }

    private func hand() {
        underWay.append((records, scheduler.changes))
        records = []
    }

    private func written() {
        guard !underWay.isEmpty else { return }
        let load = underWay.removeFirst()
        for record in load.records { seen[RunKey(step: record.step, ordinal: record.ordinal)]?.onDisk = record }
        scheduler.wereCommitted(load.changes)
        execute()
        look()
    }

    /// All bodies end, time passes, the disk takes everything: nothing may be left.
    private func drain() {
        scheduler.isPaused = false
        look()
        var rounds = 0
        while rounds < 1000, !scheduler.runs.isEmpty || scheduler.nextWake != nil {
            rounds += 1
            hand()
            while !underWay.isEmpty { written() }
            for key in keys(where: { $0.isRunning }) {
                seen[key]?.isRunning = false
                scheduler.completed(key, at: now)
            }
            execute()
            look()
            guard let next = scheduler.nextWake else { continue }
            now = Moment(tick: max(now.tick, next), date: now.date(at: max(now.tick, next)))
            look()
        }
        hand()
        while !underWay.isEmpty { written() }
        for (key, seen) in seen {
            expect(seen.final != nil, "\(key.step) is stuck: \(String(describing: scheduler.runs[key]?.phase))")
            expect(seen.request.isEphemeral || seen.onDisk?.status == seen.final, "\(key.step) ended otherwise on disk")
        }
        expect(scheduler.queues.isEmpty && scheduler.runs.isEmpty, "something is left in memory")
        expect(scheduler.starting.isEmpty && scheduler.emptied.isEmpty, "something is left of what waited for the disk")
    }

    // MARK: Commands

    private func live(in queue: JobQueue) -> [RunKey] { keys { $0.final == nil && $0.queue == queue } }

    private func isStarted(_ key: RunKey) -> Bool {
        switch scheduler.runs[key]?.phase {
        case .running, .starting: true
        default: false
        }
    }

    private func execute() {
        for command in scheduler.takeCommands() {
            switch command {
            case .start(let key, let attempt): started(key, attempt)
            case .stop(let key):
                expect(seen[key]?.isRunning == true, "\(key.step) was stopped and did not run")
                seen[key]?.isRunning = false
            case .record(let record): recorded(record)
            case .ended(let key, let status, _): ended(key, status)
            case .remember, .flush, .tick, .tellFailure: break
            }
        }
    }

    private func started(_ key: RunKey, _ attempt: Int) {
        guard let run = seen[key] else { return }
        expect(run.final == nil, "\(key.step) started after its end")
        expect(!run.isRunning, "\(key.step) started twice")
        expect(attempt == run.attempts + 1, "\(key.step) started as attempt \(attempt) after \(run.attempts)")
        let areKept = run.needed.allSatisfy { seen[$0]?.onDisk?.status.isFinal == true }
        expect(areKept, "\(key.step) started before an end was kept")
        if run.request.startsOnce || attempt > 1, !run.request.isEphemeral {
            let isKept = run.onDisk?.status == .running && run.onDisk?.attempts == attempt
            expect(isKept, "attempt \(attempt) of \(key.step) started before that was kept")
        }
        if run.request.isEphemeral { begins(key) }
        seen[key]?.isRunning = true
        seen[key]?.attempts = attempt
    }

    private func recorded(_ record: EffectRun) {
        let key = RunKey(step: record.step, ordinal: record.ordinal)
        expect(seen[key]?.request.isEphemeral == false, "\(key.step) is ephemeral and was recorded")
        expect(seen[key]?.final == nil, "\(key.step) was recorded after its end")
        expect(seen[key]?.record?.status.isFinal != true, "\(key.step) was recorded after its last record")
        seen[key]?.record = record
        records.append(record)
        if record.status == .running { begins(key) }
    }

    /// A start is decided: the order in its queue, and the time since the one before.
    private func begins(_ key: RunKey) {
        guard let run = seen[key], let queue = run.queue, fixed.contains(queue) else { return }
        if let last = starts[queue]?.last {
            let least = last.tick + queue.effectQueueDelay.range.upperBound
            expect(now.tick >= least, "\(key.step) started \(least - now.tick) too early")
        }
        if run.request.delay <= .zero, run.attempts == 0 {
            let overtaken = live(in: queue).first {
                $0 < key && seen[$0]?.request.delay == .zero && seen[$0]?.attempts == 0 && !isStarted($0)
                    && scheduler.runs[$0]?.record.attempts == 0
            }
            expect(overtaken == nil, "\(key.step) overtook \(overtaken?.step ?? 0)")
        }
        starts[queue, default: []].append((now.tick, key))
        guard QueueRule(queue).decides, !run.request.isEphemeral else { return }
        let ends: Set<EffectRun.Status?> = [.completed, .failed, .cancelled]
        let needed = keys { $0.queue == queue && !$0.request.isEphemeral && ends.contains($0.final) }
        seen[key]?.needed = needed
    }

    private func ended(_ key: RunKey, _ status: EffectRun.Status) {
        guard let run = seen[key] else { return }
        expect(run.final == nil, "\(key.step) ended twice")
        expect(status.isFinal, "\(key.step) ended as \(status)")
        expect(!run.isRunning, "\(key.step) ended as \(status), and its body was not stopped")
        let isRecorded = run.request.isEphemeral || run.record?.status == status
        expect(isRecorded, "\(key.step) is recorded otherwise than it ended")
        expect(scheduler.runs[key] == nil, "\(key.step) ended and is still there")
        seen[key]?.final = status
    }

    /// What the policy makes of one too many.
    private func check(_ key: RunKey, addedTo queue: JobQueue, before: [RunKey]) {
        let count = queue.effectQueuePolicy.maxCount
        let gone = before.filter { scheduler.runs[$0] == nil }
        switch queue.effectQueuePolicy {
        case .runNewest:
            expect(gone == Array(before.prefix(max(0, before.count - count + 1))), "\(gone) were evicted of \(before)")
            expect(scheduler.runs[key] != nil, "\(key.step) is not there")
        case .runOldest(_, .suspendNew):
            expect(gone.isEmpty && scheduler.runs[key] != nil, "\(key.step) was not taken in, or \(gone) went for it")
        case .runOldest(_, .discardNew):
            expect(gone.isEmpty, "\(gone) went for \(key.step)")
            expect((scheduler.runs[key] != nil) == (before.count < count), "\(key.step) came to \(before.count)")
        }
    }
}
