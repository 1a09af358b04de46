@testable import JournalStore

/// A scheduler with a clock that the test sets, and a disk that commits at once or when the test says so.
///
/// A run is named by the number of its step. All commands are collected.
final class Bench {
    var scheduler = Scheduler()
    /// Whether ``look()`` commits all changes at once.
    var commitsAtOnce = true
    var now = Moment(tick: .zero, date: Timestamp(microseconds: 1_700_000_000_000_000))
    private(set) var commands: [Scheduler.Command] = []

    // MARK: Events

    func add(
        _ number: Int, id: (any EffectID)? = nil, queue: JobQueue? = nil, delay: Duration = .zero,
        retry: RetryPolicy = .never, startsOnce: Bool = false, isEphemeral: Bool = false, root: Int? = nil,
        refusal: String? = nil
    ) {
        var request = Bench.request(
            number, id: id, queue: queue, delay: delay, retry: retry, startsOnce: startsOnce, root: root)
        request.isEphemeral = isEphemeral
        request.refusal = refusal
        scheduler.add(request, at: now)
    }

    /// Adds a run of a queue in which the effects of a step count as one.
    func add(_ number: Int, ordinal: Int, stepQueue rule: StrategyQueue.Rule) {
        var request = Bench.request(number)
        request.key = RunKey(step: number, ordinal: ordinal)
        request.record.ordinal = ordinal
        request.queue = StrategyQueue(owner: "table", rule: rule)
        request.record.queueText = "table"
        scheduler.add(request, at: now)
    }

    func restore(
        _ number: Int, as status: EffectRun.Status, attempts: Int = 0, failures: Int? = nil, notBefore: Duration? = nil,
        id: (any EffectID)? = nil, queue: JobQueue? = nil, delay: Duration = .zero, retry: RetryPolicy = .never
    ) {
        var request = Bench.request(number, id: id, queue: queue, delay: delay, retry: retry)
        request.record.status = status
        request.record.attempts = attempts
        // By default all attempts but the one that the end of the process cut off.
        request.record.failures = failures ?? (status == .running ? max(0, attempts - 1) : attempts)
        request.record.notBefore = notBefore.map { now.date(at: now.tick + $0) }
        scheduler.restore(request, at: now)
    }

    static func request(
        _ number: Int, id: (any EffectID)? = nil, queue: JobQueue? = nil, delay: Duration = .zero,
        retry: RetryPolicy = .never, startsOnce: Bool = false, root: Int? = nil
    ) -> Scheduler.Request {
        let record = EffectRun(
            stream: StreamID(rawValue: 1), step: number, ordinal: 0, rootStep: root ?? number, name: "job",
            queue: queue?.name, status: .waiting)
        return Scheduler.Request(
            key: key(number), id: id.map { AnyEffectID($0) }, queue: queue, delay: delay, retry: retry,
            startsOnce: startsOnce, seed: Seed(stream: [7], entry: Digest(of: "\(number)")), record: record)
    }

    static func key(_ number: Int) -> RunKey { RunKey(step: number, ordinal: 0) }

    func complete(_ number: Int, isRecorded: Bool = false) {
        guard isRecorded, var record = scheduler.runs[Bench.key(number)]?.record else {
            return scheduler.bodyCompleted(Bench.key(number), at: now)
        }
        record.status = .completed
        scheduler.sentLast(Bench.key(number), record, at: now)
    }

    func fail(_ number: Int, _ error: String = "broken") {
        scheduler.bodyFailed(Bench.key(number), error: error, at: now)
    }

    /// Updates a queue, after all effects so far.
    func update(_ queue: any EffectQueue, text: String? = nil) {
        let last = scheduler.runs.keys.max()?.step ?? 0
        scheduler.update(queue, text: text, since: Bench.key(last + 1))
    }

    func cancel(_ number: Int) { scheduler.cancel(Bench.key(number), at: now) }

    func cancel(id: some EffectID) { scheduler.cancel(id: AnyEffectID(id), at: now) }

    // MARK: Time and disk

    /// Pumps the scheduler and collects its commands.
    ///
    /// - Returns: the runs that started.
    @discardableResult
    func look() -> [Int] {
        let before = started.count
        scheduler.pump(at: now)
        commands += scheduler.takeCommands()
        while commitsAtOnce, scheduler.committed < scheduler.changes { commit(scheduler.changes) }
        return Array(started[before...])
    }

    /// Reports that this many changes are on the disk (by default all), and pumps.
    @discardableResult
    func commit(_ count: Int? = nil) -> [Int] {
        let before = started.count
        scheduler.wereCommitted(count ?? scheduler.changes, at: now)
        scheduler.pump(at: now)
        commands += scheduler.takeCommands()
        return Array(started[before...])
    }

    /// Sets both clocks, and pumps.
    @discardableResult
    func turn(to tick: Duration) -> [Int] {
        now = Moment(tick: tick, date: now.date(at: tick))
        return look()
    }

    // MARK: Commands

    var started: [Int] {
        commands.compactMap { if case .start(let key, _) = $0 { key.step } else { nil } }
    }

    var stopped: [Int] {
        commands.compactMap { if case .stop(let key) = $0 { key.step } else { nil } }
    }

    var startedKeys: [String] {
        commands.compactMap { if case .start(let key, _) = $0 { "\(key.step).\(key.ordinal)" } else { nil } }
    }

    var stoppedKeys: [String] {
        commands.compactMap { if case .stop(let key) = $0 { "\(key.step).\(key.ordinal)" } else { nil } }
    }

    var flushes: Int {
        commands.count { if case .flush = $0 { true } else { false } }
    }

    func attempts(_ number: Int) -> [Int] {
        commands.compactMap { if case .start(Bench.key(number), let attempt) = $0 { attempt } else { nil } }
    }

    func records(_ number: Int) -> [EffectRun] {
        commands.compactMap { if case .record(let run) = $0, run.step == number { run } else { nil } }
    }

    /// The recorded statuses of a run, in order.
    func statuses(_ number: Int) -> [EffectRun.Status] { records(number).map(\.status) }

    /// The final status of a run; nil if it has not ended.
    func end(_ number: Int) -> EffectRun.Status? {
        commands.compactMap { if case .ended(Bench.key(number), let status, _) = $0 { status } else { nil } }.last
    }

    func error(_ number: Int) -> String? {
        commands.compactMap { if case .ended(Bench.key(number), _, let error) = $0 { error } else { nil } }.last
    }

    /// The recorded rules and last starts of queues.
    var remembered: [(name: String, rule: QueueRule, lastStart: Timestamp?)] {
        commands.compactMap { command in
            if case .recordQueue(let text, let record) = command {
                (text, record.rule, record.lastStart?.date)
            } else {
                nil
            }
        }
    }

    /// The stored texts of the queues that are forgotten, in order.
    var forgotten: [String] {
        commands.compactMap { if case .forgetQueue(let text) = $0 { text } else { nil } }
    }

    /// Whether the scheduler holds no run and no queue any more.
    var isForgotten: Bool {
        scheduler.runs.isEmpty && scheduler.queues.isEmpty && scheduler.starting.isEmpty
            && scheduler.emptyQueues.isEmpty
    }
}
