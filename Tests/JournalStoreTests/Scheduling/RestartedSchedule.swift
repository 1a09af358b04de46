import TortureKit

@testable import JournalStore

/// A random sequence of events that two schedulers go through: one lives on, the other one is restored from its records
/// now and then. Both must start, hold back and end the same runs.
///
/// Bodies fail and are tried again, and an operator sets runs aside, releases them and retries those that have ended.
///
/// Half of the runs are restored as described effects, from their texts alone; the others as closure effects. Queues
/// and IDs are equal although their texts differ.
final class RestartedSchedule {
    /// A scheduler with what it has written.
    struct Life {
        var scheduler = Scheduler()
        var records: [RunKey: EffectRun] = [:]
        var queues: [String: (policy: String, lastStart: Timestamp?)] = [:]
        var running: Set<RunKey> = []

        /// Executes the commands and writes all changes, until nothing is left to do.
        mutating func pump(at now: Moment) {
            scheduler.pump(at: now)
            while case let commands = scheduler.takeCommands(), !commands.isEmpty {
                for command in commands {
                    switch command {
                    case .start(let key, _): running.insert(key)
                    case .stop(let key), .ended(let key, _, _): running.remove(key)
                    case .record(let record):
                        records[record.key] = record
                        if record.status != .running { running.remove(record.key) }
                    case .recordQueue(let text, let record):
                        queues[text] = ((try? JSONCodec().encode(record)) ?? "", record.lastStart?.date)
                    case .forgetQueue(let text): queues[text] = nil
                    case .flush, .reportFailure, .sendAction, .sendFailure, .sendCancel: break
                    }
                }
                scheduler.wereCommitted(scheduler.changes, at: now)
                scheduler.pump(at: now)
            }
        }

        /// What a run does; nil if nothing is known of it.
        func place(of key: RunKey) -> String? {
            guard let run = scheduler.runs[key] else { return (records[key]?.status).map { "\($0)" } }
            if run.phase.isWaiting { return "in line" }
            if run.phase == .setAside { return "set aside" }
            return running.contains(key) ? "running" : "in a slot"
        }
    }

    let seed: UInt64
    private var random: SplitMix
    private var now = Moment(tick: .zero, date: Timestamp(microseconds: 1_700_000_000_000_000))
    private var undisturbed = Life()
    private var restarted = Life()
    private var requests: [RunKey: Scheduler.Request] = [:]
    /// When each run has joined its queue again, in the order of these acts.
    private var acts: [(key: RunKey, time: Timestamp)] = []
    /// The newest lane of each name.
    private var lanes: [Lane]
    private var step = 0
    private(set) var log: [String] = []
    private(set) var problem: String?

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(seed: seed)
        lanes = ["a", "b"].map { Lane(name: $0) }
        for index in lanes.indices { change(&lanes[index]) }
    }

    func run(events: Int) {
        for _ in 0..<events where problem == nil {
            advance(by: .milliseconds(1))
            event()
            undisturbed.pump(at: now)
            restarted.pump(at: now)
            compare()
        }
    }

    private func compare() {
        for key in requests.keys.sorted() where problem == nil {
            let (expected, found) = (undisturbed.place(of: key), restarted.place(of: key))
            if expected != found {
                problem = "\(key.step) is \(found ?? "unknown") instead of \(expected ?? "unknown") after \(log)"
            }
        }
        for (name, life) in [("undisturbed", undisturbed), ("restarted", restarted)] where problem == nil {
            for (text, row) in life.queues.sorted(by: { $0.key < $1.key }) where !isNeeded(text, row, in: life) {
                problem = "nothing needs the row \(text) of the \(name) scheduler after \(log)"
            }
        }
    }

    /// Whether a run of the queue has not ended, or the queue's delay is not over.
    private func isNeeded(_ text: String, _ row: (policy: String, lastStart: Timestamp?), in life: Life) -> Bool {
        let hasRuns = life.records.values.contains { record in
            guard !record.status.isFinal, let lane = requests[record.key]?.queue as? Lane else { return false }
            return text.contains(#""name":"\#(lane.name)""#)
        }
        guard !hasRuns, let start = row.lastStart else { return hasRuns }
        let rule = try? JSONCodec().decode(QueueRecord.self, from: row.policy).rule
        let delay = rule?.delay.range.upperBound ?? .zero
        return start.microseconds + delay.inMicroseconds > now.date.microseconds
    }

    // MARK: Events

    private func event() {
        switch Int.random(in: 0..<28, using: &random) {
        case 0..<7: add()
        case 7..<9: complete()
        case 9..<12: fail()
        case 12..<14: update()
        case 14: cancel()
        case 15: cancelOne()
        case 16..<18: retry()
        case 18: setAside()
        case 19, 20: release()
        case 21..<24: advance()
        default: restart()
        }
    }

    /// Another rule, and another text in any case.
    private func change(_ lane: inout Lane) {
        lane.kind = Lane.Kind.allCases.randomElement(using: &random) ?? .suspending
        lane.maxCount = Int.random(in: 1...3, using: &random)
        lane.delay = [0, 0, 3, 5].randomElement(using: &random) ?? 0
    }

    private func anyLane() -> Lane {
        let index = Int.random(in: 0..<lanes.count, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 { change(&lanes[index]) }
        lanes[index].note += 1
        return lanes[index]
    }

    private func add() {
        step += 1
        let lane = anyLane()
        let retries: [RetryPolicy] = [
            .never, .constant(maxAttempts: 2, delay: .zero), .constant(maxAttempts: 3, delay: .seconds(2)),
            .constant(maxAttempts: 4, delay: .seconds(6)),
        ]
        var request = Bench.request(
            step, delay: .seconds([0, 0, 0, 3, 7].randomElement(using: &random) ?? 0),
            retry: retries.randomElement(using: &random) ?? .never)
        request.time = now.date
        let ticket = Ticket(name: ["x", "y"].randomElement(using: &random) ?? "", note: step)
        request.queue = lane
        request.id = AnyEffectID(ticket)
        request.record.queueText = try? JSONCodec().encode(AnyEffectID(lane))
        request.record.effectIDText = try? JSONCodec().encode(AnyEffectID(ticket))
        if Bool.random(using: &random) { request.record.described = "{}" }
        requests[request.key] = request
        let kind = request.record.described == nil ? "" : ", described"
        log.append("add \(step) to \(text(lane)), its own delay \(request.delay)\(kind)")
        undisturbed.scheduler.add(request, at: now)
        restarted.scheduler.add(request, at: now)
    }

    private func complete() {
        guard let key = undisturbed.running.sorted().randomElement(using: &random) else { return }
        log.append("complete \(key.step)")
        undisturbed.scheduler.bodyCompleted(key, at: now)
        restarted.scheduler.bodyCompleted(key, at: now)
    }

    private func fail() {
        guard let key = undisturbed.running.sorted().randomElement(using: &random) else { return }
        log.append("fail \(key.step)")
        undisturbed.scheduler.bodyFailed(key, error: "broken", at: now)
        restarted.scheduler.bodyFailed(key, error: "broken", at: now)
    }

    private func update() {
        let lane = anyLane()
        log.append("update \(text(lane))")
        let place = RunKey(step: step + 1)
        let stored = try? JSONCodec().encode(AnyEffectID(lane))
        undisturbed.scheduler.update(lane, text: stored, since: place)
        restarted.scheduler.update(lane, text: stored, since: place)
        step += 1
    }

    private func cancel() {
        let ticket = Ticket(name: ["x", "y"].randomElement(using: &random) ?? "", note: -step)
        log.append("cancel \(ticket.name)")
        undisturbed.scheduler.cancel(id: AnyEffectID(ticket), at: now)
        restarted.scheduler.cancel(id: AnyEffectID(ticket), at: now)
    }

    private func advance() {
        advance(by: .seconds(Int.random(in: 1...4, using: &random)))
        log.append("advance to \(now.tick)")
    }

    private func advance(by time: Duration) {
        let tick = now.tick + time
        now = Moment(tick: tick, date: now.date(at: tick))
    }

    private func text(_ lane: Lane) -> String { "\(lane.name) \(lane.kind) \(lane.maxCount) delay \(lane.delay)" }

    // MARK: Operators

    private func anyLive(_ condition: (Scheduler.Run) -> Bool = { _ in true }) -> Scheduler.Run? {
        let keys = undisturbed.scheduler.runs.values.filter(condition).map(\.request.key).sorted()
        return keys.randomElement(using: &random).flatMap { undisturbed.scheduler.runs[$0] }
    }

    private func cancelOne() {
        guard let key = anyLive()?.request.key else { return }
        log.append("cancel \(key.step)")
        undisturbed.scheduler.cancel(key, at: now)
        restarted.scheduler.cancel(key, at: now)
    }

    private func setAside() {
        guard let key = anyLive({ !$0.phase.isStarted && $0.phase != .setAside })?.request.key else { return }
        log.append("set \(key.step) aside")
        undisturbed.scheduler.setAside(key, as: .asked)
        restarted.scheduler.setAside(key, as: .asked)
    }

    private func release() {
        guard let run = anyLive({ !$0.phase.isStarted }) else { return }
        let key = run.request.key
        log.append("release \(key.step)")
        if run.phase == .setAside { acts.append((key, now.date)) }
        undisturbed.scheduler.release(key, at: now)
        restarted.scheduler.release(key, at: now)
    }

    /// Retries a run that has ended. One that is described does not get the queue back if that was forgotten.
    private func retry() {
        let ended = undisturbed.records.values.filter { record in
            record.status.isFinal && record.status != .completed
                && (record.described == nil || undisturbed.queues[record.queueText ?? ""] != nil)
        }
        guard let key = ended.map(\.key).sorted().randomElement(using: &random) else { return }
        log.append("retry \(key.step)")
        acts.append((key, now.date))
        retry(key, in: &undisturbed)
        retry(key, in: &restarted)
    }

    private func retry(_ key: RunKey, in life: inout Life) {
        guard let record = try? life.records[key]?.after(.retry, at: now.date, file: nil, stream: "jobs") else {
            problem = problem ?? "\(key.step) cannot be retried after \(log)"
            return
        }
        restore(record, in: &life)
        let start = life.scheduler.changes + 1
        life.scheduler.update(key) { $0.admittedAfter = start }
    }

    // MARK: The restart

    private func restart() {
        log.append("restart")
        let old = restarted
        restarted = Life(records: old.records, queues: old.queues)
        restarted.scheduler.isPaused = true
        for (text, row) in old.queues.sorted(by: { $0.key < $1.key }) {
            guard var record = try? JSONCodec().decode(QueueRecord.self, from: row.policy) else { continue }
            record.lastStart = row.lastStart.map { start in
                Moment(tick: now.tick - .microseconds(now.date.microseconds - start.microseconds), date: start)
            }
            restarted.scheduler.remember(text, record)
        }
        for key in joiningOrder(of: old.records.values.filter { !$0.status.isFinal }.map(\.key).sorted()) {
            if let record = old.records[key] { restore(record, in: &restarted) }
        }
        restarted.scheduler.isPaused = false
    }

    private func joiningOrder(of keys: [RunKey]) -> [RunKey] {
        func time(_ key: RunKey) -> Timestamp { requests[key]?.time ?? now.date }
        let newest = Dictionary(acts.enumerated().map { ($1.key, $0) }) { $1 }
        let first = keys.filter { newest[$0] == nil }
        let again = newest.filter { keys.contains($0.key) }.values.sorted().map { acts[$0] }
        return JoiningOrder.merged(first, again.map(\.key), times: first.map(time), again.map(\.time))
    }

    private func restore(_ record: EffectRun, in life: inout Life) {
        guard var request = requests[record.key] else { return }
        // A closure effect brings its instance again, and with it the text of that instance.
        let own = request.record.queueText
        request.record = record
        if record.described == nil {
            request.record.queueText = own
        } else {
            request.id = record.effectID
            guard let text = record.queueText, let row = life.queues[text],
                let rule = try? JSONCodec().decode(QueueRecord.self, from: row.policy).rule
            else {
                problem = problem ?? "the queue of \(record.step) is not recorded after \(log)"
                return
            }
            request.queue = StoredQueue(text: text, rule: rule)
        }
        request.shortenDelay(at: now.date)
        life.scheduler.restore(request, at: now)
        // The store writes what the scheduler has changed of it.
        life.records[record.key] = life.scheduler.runs[record.key]?.record
    }
}
