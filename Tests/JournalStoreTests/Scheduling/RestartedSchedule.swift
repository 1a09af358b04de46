import TortureKit

@testable import JournalStore

/// A random sequence of events that two schedulers go through: one lives on, the other one is restored from its records
/// now and then. Both must start, hold back and end the same runs.
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
                    case .record(let record): records[record.key] = record
                    case .recordQueue(let text, let record):
                        queues[text] = ((try? JSONCodec().encode(record)) ?? "", record.lastStart?.date)
                    case .forgetQueue(let text): queues[text] = nil
                    case .flush, .reportFailure, .sendAction, .sendFailure, .sendCancel: break
                    }
                }
                scheduler.wereCommitted(scheduler.changes)
                scheduler.pump(at: now)
            }
        }

        /// What a run does; nil if nothing is known of it.
        func place(of key: RunKey) -> String? {
            guard let run = scheduler.runs[key] else { return (records[key]?.status).map { "\($0)" } }
            if run.phase.isWaiting { return "in line" }
            return running.contains(key) ? "running" : "in a slot"
        }
    }

    let seed: UInt64
    private var random: SplitMix
    private var now = Moment(tick: .zero, date: Timestamp(microseconds: 1_700_000_000_000_000))
    private var undisturbed = Life()
    private var restarted = Life()
    private var requests: [RunKey: Scheduler.Request] = [:]
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
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: add()
        case 7..<10: complete()
        case 10..<12: update()
        case 12: cancel()
        case 13..<16: advance()
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
        var request = Bench.request(step, delay: .zero)
        let ticket = Ticket(name: ["x", "y"].randomElement(using: &random) ?? "", note: step)
        request.queue = lane
        request.id = AnyEffectID(ticket)
        request.record.queueText = try? JSONCodec().encode(AnyEffectID(lane))
        request.record.effectIDText = try? JSONCodec().encode(AnyEffectID(ticket))
        if Bool.random(using: &random) { request.record.described = "{}" }
        requests[request.key] = request
        log.append("add \(step) to \(text(lane))\(request.record.described == nil ? "" : ", described")")
        undisturbed.scheduler.add(request, at: now)
        restarted.scheduler.add(request, at: now)
    }

    private func complete() {
        guard let key = undisturbed.running.sorted().randomElement(using: &random) else { return }
        log.append("complete \(key.step)")
        undisturbed.scheduler.bodyCompleted(key, at: now)
        restarted.scheduler.bodyCompleted(key, at: now)
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
        let tick = now.tick + .seconds(Int.random(in: 1...4, using: &random))
        now = Moment(tick: tick, date: now.date(at: tick))
        log.append("advance to \(tick)")
    }

    private func text(_ lane: Lane) -> String { "\(lane.name) \(lane.kind) \(lane.maxCount) delay \(lane.delay)" }

    // MARK: The restart

    private func restart() {
        log.append("restart")
        let old = restarted
        restarted = Life(records: old.records, queues: old.queues)
        restarted.scheduler.isPaused = true
        var rules: [String: QueueRule] = [:]
        for (text, row) in old.queues.sorted(by: { $0.key < $1.key }) {
            guard var record = try? JSONCodec().decode(QueueRecord.self, from: row.policy) else { continue }
            rules[text] = record.rule
            record.lastStart = row.lastStart.map { start in
                Moment(tick: now.tick - .microseconds(now.date.microseconds - start.microseconds), date: start)
            }
            restarted.scheduler.remember(text, record)
        }
        for key in old.records.keys.sorted() {
            guard let record = old.records[key], !record.status.isFinal, var request = requests[key] else { continue }
            // A closure effect brings its instance again, and with it the text of that instance.
            let own = request.record.queueText
            request.record = record
            if record.described == nil {
                request.record.queueText = own
            } else {
                request.id = record.effectID
                guard let text = record.queueText, let rule = rules[text] else {
                    problem = "the queue of \(key.step) is not recorded after \(log)"
                    return
                }
                request.queue = StoredQueue(text: text, rule: rule)
            }
            restarted.scheduler.restore(request, at: now)
        }
        restarted.scheduler.isPaused = false
    }
}
