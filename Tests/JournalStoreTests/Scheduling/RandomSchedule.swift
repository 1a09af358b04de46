import TortureKit

@testable import JournalStore

/// Runs a scheduler through a random sequence of events and checks its commands.
///
/// Bodies start and stop as commanded. Records reach the disk some time after they are emitted.
final class RandomSchedule {
    /// A run: what was requested, and what was observed of it.
    final class Seen {
        let request: Scheduler.Request
        let queue: JobQueue?
        var attempts = 0
        var isRunning = false
        var record: EffectRun?
        var onDisk: EffectRun?
        var final: EffectRun.Status?
        /// Whether it was reported that it failed and nothing tells the machine.
        var isReported = false
        /// The runs of its queue that had ended before its start, so that their ends must be on the disk first.
        var needed: [RunKey] = []
        /// How often its body was started, over all openings.
        var bodyStarts = 0
        /// How often an operator, a restart or a retry has allowed one more start.
        var extraStarts = 0
        /// Whether an operator or a restart has changed its place in the order.
        var isReordered = false
        /// Whether it is set aside: its end does not matter to its queue.
        var isSetAside = false
        /// Whether it was running before a restart: its next start is no new start for its queue.
        var isResumed = false
        /// What its queue had when its newest start was decided.
        var decidedBy: QueueRecord?

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
    /// Queues whose rule never changes.
    let fixed: [JobQueue]
    var changing: JobQueue
    private(set) var problems: [String] = []
    /// Runs that had no record after a ``look()``.
    private(set) var unrecorded: Set<RunKey> = []
    private var step = 0
    /// Transactions that are not on the disk yet: their records, and the number of changes with them.
    private var underWay: [(records: [EffectRun], changes: Int)] = []
    private var records: [EffectRun] = []
    /// The queues that have a row.
    private var rows: Set<String> = []
    private var starts: [JobQueue: [(tick: Duration, key: RunKey)]] = [:]
    /// When the last body of each queue began, and the queue's rule at that time.
    private var lastBodies: [QueueDirectory.ID: (tick: Duration, rule: QueueRule, since: RunKey)] = [:]
    /// Whether the events include restarts and interventions.
    private let hasRestarts: Bool

    init(seed: UInt64, hasRestarts: Bool = false) {
        self.seed = seed
        self.hasRestarts = hasRestarts
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

    /// The runs that meet a condition, sorted, so that a seed replays exactly.
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
        switch Int.random(in: 0..<(hasRestarts ? 26 : 20), using: &random) {
        case 0..<8: add()
        case 8..<11: end()
        case 11: cancel()
        case 12: update()
        case 13..<16: turn()
        case 16..<18: hand()
        case 18: written()
        case 19: scheduler.isPaused.toggle()
        case 20: setAside()
        case 21, 22: release()
        case 23: admit()
        case 24: operatorCancel()
        default: if Int.random(in: 0..<3, using: &random) == 0 { reopen() }
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
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: scheduler.bodyFailed(key, error: "broken", at: now)
        case 2: scheduler.bodyCompleted(key, at: now)
        case 3: scheduler.couldNotSend(key, error: "too large", at: now)
        default: recordedEnd(key)
        }
        if scheduler.runs[key] != nil { seen[key]?.extraStarts += 1 }
        execute()
    }

    /// The last action of a run is committed with its record, after everything that was submitted before.
    private func recordedEnd(_ key: RunKey) {
        guard let seen = seen[key], !seen.request.isEphemeral, var record = seen.record else {
            return scheduler.bodyCompleted(key, at: now)
        }
        hand()
        while !underWay.isEmpty { written() }
        record.status = .completed
        self.seen[key]?.record = record
        self.seen[key]?.onDisk = record
        scheduler.sentLast(key, record, at: now)
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
        if Bool.random(using: &random) { scheduler.update(changing, since: Bench.key(step + 1)) }
    }

    // MARK: Operators and restarts

    private func anyLive(_ condition: (Scheduler.Run) -> Bool = { _ in true }) -> RunKey? {
        keys { $0.final == nil }.filter { scheduler.runs[$0].map(condition) ?? false }.randomElement(using: &random)
    }

    private func setAside() {
        guard let key = anyLive({ !$0.phase.isStarted }) else { return }
        seen[key]?.isReordered = true
        seen[key]?.isSetAside = true
        seen[key]?.isResumed = false
        scheduler.setAside(key, as: .asked)
        execute()
    }

    /// `release` and `retry` are the same event for the scheduler.
    private func release() {
        guard let key = anyLive() else { return }
        let phase = scheduler.runs[key]?.phase
        let isReleased = scheduler.release(key, at: now)
        expect(isReleased == (phase?.isStarted == false), "released \(key.step) while \(String(describing: phase))")
        if isReleased {
            seen[key]?.isReordered = true
            seen[key]?.isSetAside = false
            seen[key]?.isResumed = false
            seen[key]?.extraStarts += 1
        }
        execute()
    }

    private func admit() {
        if Int.random(in: 0..<4, using: &random) == 0 {
            scheduler.admitAll(at: now)
        } else {
            let group = Array(scheduler.held.sorted().prefix(Int.random(in: 1...4, using: &random)))
            let started = scheduler.start(held: group, after: scheduler.changes + 1, at: now)
            let others = group.filter { !started.contains($0) }
            expect(
                scheduler.isPaused || others.allSatisfy { scheduler.runs[$0]?.needsAdmission != false },
                "a run that was not started with its group is not held back any more")
        }
        execute()
    }

    private func operatorCancel() {
        guard let key = anyLive() else { return }
        scheduler.cancel(key, at: now)
        execute()
        expect(scheduler.runs[key] == nil, "\(key.step) was cancelled and is still live")
    }

    /// The process ends, and another one restores what is on the disk and settles the other steps again.
    private func reopen() {
        underWay = []
        records = []
        // No queue is restored.
        rows = []
        scheduler = Scheduler()
        scheduler.isPaused = true
        scheduler.holdsRestored = Int.random(in: 0..<3, using: &random) == 0
        starts = [:]
        lastBodies = [:]
        for key in seen.keys.sorted() {
            guard let run = seen[key] else { continue }
            run.isRunning = false
            run.needed = []
            run.isReordered = true
            run.isSetAside = false
            run.isResumed = false
            if run.request.isEphemeral {
                // It can run only in the process that settled its step.
                run.final = run.final ?? .cancelled
            } else if let record = run.onDisk {
                run.record = record
                run.attempts = record.attempts
                run.final = record.status.isFinal ? record.status : nil
                if !record.status.isFinal { restore(run, record) }
            } else {
                run.record = nil
                run.attempts = 0
                run.final = nil
                scheduler.add(run.request, at: now)
            }
            execute()
        }
        scheduler.isPaused = false
        look()
    }

    private func restore(_ run: Seen, _ record: EffectRun) {
        var request = run.request
        request.record = record
        scheduler.restore(request, at: now)
        run.isResumed = record.status == .running
        run.isSetAside = record.status == .asked
        guard run.request.startsOnce, record.status == .running || record.status == .delayed && record.attempts > 0
        else {
            run.extraStarts += 1
            return
        }
        run.isSetAside = true
        run.isResumed = false
        scheduler.setAside(run.request.key, as: .asked)
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
            let started = live(in: queue).filter { isStarted($0) }
            // Runs that were running before a restart run again even if the queue is full.
            let count = started.count { seen[$0]?.isReordered == false }
            expect(count <= queue.effectQueuePolicy.maxCount, "\(count) run in \(queue.name)")
        }
        checkPlaces()
        for (key, seen) in seen where seen.final == nil && !seen.request.isEphemeral {
            guard let record = seen.record else {
                unrecorded.insert(key)
                continue
            }
            // What is noted of an attempt is dropped as soon as it is on the disk.
            let noted = scheduler.runs[key].map { run in changed(run.record) { $0.notes = record.notes } }
            expect(record == noted, "the record of \(key.step) is out of date")
        }
    }

    /// Checks that each run is in exactly one place, and that no run waits while its queue has a free slot.
    private func checkPlaces() {
        var places: [RunKey: Int] = [:]
        for (name, queue) in scheduler.queues {
            for key in queue.slots + queue.waiting { places[key, default: 0] += 1 }
            expect(
                Array(queue.readyRuns) == queue.slots.filter { scheduler.runs[$0]?.phase.isReady == true },
                "the runs that may start are others")
            expect(queue.slots.allSatisfy { scheduler.runs[$0]?.phase.holdsSlot == true }, "a slot has no run")
            expect(queue.waiting.allSatisfy { scheduler.runs[$0]?.phase.isWaiting == true }, "no run waits here")
            expect(
                scheduler.isPaused || queue.waiting.isEmpty || queue.slots.count >= queue.rule.maxCount,
                "\(queue.waiting.count) wait in \(name), which has a free slot")
        }
        for (key, run) in scheduler.runs {
            guard run.request.queue != nil else { continue }
            let isPlaced = run.phase.holdsSlot || run.phase.isWaiting
            expect(places[key, default: 0] == (isPlaced ? 1 : 0), "\(key.step) is in \(places[key, default: 0]) places")
        }
        let held = Set(scheduler.runs.values.filter { $0.phase == .held }.map(\.request.key))
        expect(scheduler.held == held, "the held runs are \(held), not \(scheduler.held)")
        let isQuiet = scheduler.runs.values.allSatisfy { $0.phase == .setAside }
        expect(scheduler.isQuiet == isQuiet, "the scheduler counts the runs that are set aside wrongly")
        for (key, run) in scheduler.runs {
            switch run.phase {
            case .new: expect(false, "\(key.step) has no place")
            case .waiting: expect(run.record.status == .waiting, "\(key.step) waits and is \(run.record.status)")
            case .starting(let after):
                expect(scheduler.starting.contains { $0 == (after, key) }, "\(key.step) is not among the starting runs")
                expect(run.record.status == .running, "\(key.step) starts and is \(run.record.status)")
            case .running: expect(run.record.status == .running, "\(key.step) runs and is \(run.record.status)")
            case .ready, .held, .sending: expect(!run.record.status.isFinal, "\(key.step) is \(run.record.status)")
            case .setAside: expect(run.record.status == .asked, "\(key.step) is set aside as \(run.record.status)")
            }
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
        scheduler.wereCommitted(load.changes, at: now)
        execute()
        look()
    }

    /// Ends all bodies, advances the clock and writes all records. Then nothing may be left.
    private func drain() {
        scheduler.isPaused = false
        scheduler.admitAll(at: now)
        for key in keys(where: { $0.final == nil }) where scheduler.runs[key]?.phase == .setAside {
            seen[key]?.extraStarts += 1
            seen[key]?.isSetAside = false
            scheduler.release(key, at: now)
        }
        execute()
        look()
        var rounds = 0
        while rounds < 1000, !scheduler.runs.isEmpty || scheduler.nextWake != nil {
            rounds += 1
            hand()
            while !underWay.isEmpty { written() }
            for key in keys(where: { $0.isRunning }) {
                seen[key]?.isRunning = false
                scheduler.bodyCompleted(key, at: now)
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
            expect(seen.request.isEphemeral || seen.onDisk?.status == seen.final, "\(key.step) has another end on disk")
            // A restart between a failure and its report loses the report.
            expect(
                hasRestarts || seen.final != .failed || seen.isReported, "the failure of \(key.step) was not reported")
        }
        expect(scheduler.queues.isEmpty && scheduler.runs.isEmpty, "something is left in memory")
        expect(rows.isEmpty, "the rows \(rows) are left")
        expect(scheduler.starting.isEmpty && scheduler.emptyQueues.isEmpty, "something still waits for the disk")
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
            case .reportFailure(let failure): reported(failure.key)
            case .recordQueue(let text, _): rows.insert(text)
            case .forgetQueue(let text): rows.remove(text)
            case .flush, .sendAction, .sendFailure, .sendCancel: break
            }
        }
    }

    private func started(_ key: RunKey, _ attempt: Int) {
        guard let run = seen[key] else { return }
        expect(run.final == nil, "\(key.step) started after its end")
        expect(!run.isRunning, "\(key.step) started twice")
        expect(attempt == run.attempts + 1, "\(key.step) started as attempt \(attempt) after \(run.attempts)")
        let areKept = run.needed.allSatisfy { seen[$0]?.onDisk?.status.isFinal == true }
        expect(areKept, "\(key.step) started before the end of another run was on the disk")
        if run.request.startsOnce || attempt > 1, !run.request.isEphemeral {
            let isKept = run.onDisk?.status == .running && run.onDisk?.attempts == attempt
            expect(isKept, "attempt \(attempt) of \(key.step) started before its record")
        }
        if run.request.isEphemeral { begins(key) }
        if !hasRestarts { checkDelay(key) }
        run.bodyStarts += 1
        if run.request.startsOnce {
            expect(run.bodyStarts <= 1 + run.extraStarts, "\(key.step) started \(run.bodyStarts) times")
        }
        run.isRunning = true
        run.attempts = attempt
    }

    /// Whatever the records of the starts had to wait for, the delay is between the bodies. Not after a restart: the delay counts
    /// from the recorded decision then, and from none for what goes on.
    private func checkDelay(_ key: RunKey) {
        guard case .queue(let id)? = scheduler.runs[key]?.target, let record = scheduler.queues[id]?.record else {
            return
        }
        // Several can have been decided before the queue got its delay. Without a delay in between, the last start does not count.
        let isDelayed = seen[key]?.decidedBy?.rule == record.rule && seen[key]?.decidedBy?.since == record.since
        if isDelayed, let last = lastBodies[id], last.rule == record.rule, last.since == record.since {
            let isApart = now.tick - last.tick >= record.rule.delay.range.lowerBound
            expect(isApart, "\(key.step) started within its queue's delay")
        }
        lastBodies[id] = (now.tick, record.rule, record.since)
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

    /// Checks a start: the order in its queue, and the time since the previous start.
    private func begins(_ key: RunKey) {
        if case .queue(let id)? = scheduler.runs[key]?.target { seen[key]?.decidedBy = scheduler.queues[id]?.record }
        guard let run = seen[key], let queue = run.queue, fixed.contains(queue) else { return }
        if let last = starts[queue]?.last, !run.isResumed {
            let least = last.tick + queue.effectQueueDelay.range.upperBound
            expect(now.tick >= least, "\(key.step) started \(least - now.tick) too early")
        }
        if run.request.delay <= .zero, run.attempts == 0, !run.isReordered {
            let overtaken = live(in: queue).first {
                $0 < key && seen[$0]?.request.delay == .zero && seen[$0]?.attempts == 0 && !isStarted($0)
                    && seen[$0]?.isReordered == false
                    && scheduler.runs[$0]?.record.attempts == 0
            }
            expect(overtaken == nil, "\(key.step) overtook \(overtaken?.step ?? 0)")
        }
        if !run.isResumed { starts[queue, default: []].append((now.tick, key)) }
        run.isResumed = false
        guard QueueRule(queue).decides, !run.request.isEphemeral else { return }
        let ends: Set<EffectRun.Status?> = [.completed, .failed, .cancelled]
        let needed = keys {
            $0.queue == queue && !$0.request.isEphemeral && !$0.isSetAside && ends.contains($0.final)
        }
        seen[key]?.needed = needed
    }

    private func ended(_ key: RunKey, _ status: EffectRun.Status) {
        guard let run = seen[key] else { return }
        expect(run.final == nil, "\(key.step) ended twice")
        expect(status.isFinal, "\(key.step) ended as \(status)")
        expect(!run.isRunning, "\(key.step) ended as \(status), and its body was not stopped")
        let isRecorded = run.request.isEphemeral || run.record?.status == status
        expect(isRecorded, "\(key.step) ended as \(status) and has another record")
        expect(scheduler.runs[key] == nil, "\(key.step) ended and is still live")
        seen[key]?.final = status
    }

    private func reported(_ key: RunKey) {
        guard let run = seen[key] else { return }
        expect(!run.isReported, "the failure of \(key.step) was reported twice")
        expect(run.final == .failed, "\(key.step) was reported as failed")
        let isKept = run.request.isEphemeral || run.onDisk?.status == .failed
        expect(isKept, "the failure of \(key.step) was reported before it was on the disk")
        run.isReported = true
    }

    /// Checks what the queue's policy did with a new run.
    private func check(_ key: RunKey, addedTo queue: JobQueue, before: [RunKey]) {
        let count = queue.effectQueuePolicy.maxCount
        guard !hasRestarts else { return }
        let gone = before.filter { scheduler.runs[$0] == nil }
        switch queue.effectQueuePolicy {
        case .runNewest:
            expect(gone == Array(before.prefix(max(0, before.count - count + 1))), "\(gone) were evicted of \(before)")
            expect(scheduler.runs[key] != nil, "\(key.step) was not added")
        case .runOldest(_, .suspendNew):
            expect(gone.isEmpty && scheduler.runs[key] != nil, "\(key.step) is missing, or evicted \(gone)")
        case .runOldest(_, .discardNew):
            expect(gone.isEmpty, "\(key.step) evicted \(gone)")
            expect((scheduler.runs[key] != nil) == (before.count < count), "\(key.step) came after \(before.count)")
        }
    }
}
