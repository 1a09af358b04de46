import CSimulator
import Foundation
import JournalStore
import JournalTesting
import TortureKit

/// One process: from an opening to its end, be it a close, a kill or a power cut. It is the machine's environment too.
final class World: @unchecked Sendable {
    // `@unchecked`: all jobs run on one thread.
    let life: Life
    let number: Int
    let folder: String
    let clock: ManualClock
    let vfs = FaultVFS()
    var journal: Journal?
    var stores: [String: Store<Act, Score>] = [:]
    /// In a life with a host, it has the stores.
    var host: MachineHost<Act, Score>?
    var follower: Follower?
    /// Those who wait for a state.
    var waiting: [Task<Void, Never>] = []
    /// The script has come to its end.
    var isFinished = false
    /// It was killed: nothing that happens from now on counts.
    private(set) var isDead = false
    /// What the sidecar held when it was killed.
    private(set) var sidecar: Data?
    /// Whether the next cut is one of the power, and not a kill.
    var losesPower = false
    /// Where a process can be killed.
    enum CrashPoint: String, CaseIterable {
        case committed = "after a commit"
        case started = "at a body's start"
        case ended = "at a body's end"
    }

    /// Which crash points count; nil for all.
    var crashPoint: CrashPoint?
    /// How many crash points are passed before the kill.
    var crashPoints: Int?
    /// It was killed between two operations of the file system, so the database needs its WAL only for what is new.
    private(set) var isWhole = false
    /// The journal of the next process, if that is not what this one leaves.
    var successor: String?
    /// The WAL that was taken away before the process began.
    var withheld: Data?
    /// Whether the injected fault is one after which the journal goes on by itself.
    var isPassing = false
    /// Whether a fault was injected.
    var hasFault = false
    /// Whether one ever was. Calls that began before a recovery fail after it.
    var hadFault = false
    /// Whether the journal may not be readable.
    var isUnreadable: Bool { hasFault && !isPassing }
    /// It runs a copy of the journal beside the original.
    struct Copy {
        let original: World
        /// It is a fork, which has the history of the life only up to this step.
        var forkedAt: Int?
    }

    var copy: Copy?
    /// Nothing of it counts any more.
    private var isOver: Bool { isDead || copy?.original.isDead == true }
    /// A call of the journal has failed because of that.
    var isBroken = false
    /// The bodies that run, by queue.
    private var bodies: [String: [Int: String]] = [:]
    private var started = 0
    /// How much the wall clock is ahead of the time that has passed.
    private var ahead = Duration.zero

    init(_ life: Life, number: Int, folder: String, at time: Timestamp) {
        (self.life, self.number, self.folder) = (life, number, folder)
        clock = ManualClock(at: time)
        vfs.onCut { [unowned self] in cut() }
    }

    var path: String { folder + "/life.db" }

    /// The wall clock.
    var now: Timestamp { clock.wallClock().advanced(by: ahead) }

    /// Sets the wall clock forward, or back.
    func jump(by duration: Duration) { ahead += duration }

    /// From now on nothing fails.
    func clearFaults() {
        vfs.clear()
        simulator_fail_allocation(0)
        simulator_accept_rows()
    }

    /// Gives back all references to the journal.
    func forget() -> Journal? {
        defer { (journal, stores, host) = (nil, [:], nil) }
        return journal
    }

    // MARK: The end of the process

    /// Ends the process at this moment.
    func kill() { vfs.cutPower() }

    private func cut() {
        guard !isDead else { return }
        isDead = true
        // No write to the database succeeds from here on, but the sidecar is mapped into memory.
        sidecar = try? Data(contentsOf: URL(fileURLWithPath: path + "-lock"))
        life.note(losesPower ? "the power is cut" : "killed")
        life.count(losesPower ? "power cut" : "kill")
    }

    func passed(_ point: JournalOptions.CrashPoint) {
        guard !isDead else { return }
        let kind =
            switch point {
            case .committed: CrashPoint.committed
            case .started: CrashPoint.started
            case .ended: CrashPoint.ended
            }
        if kind == .committed { life.count("commit") }
        guard let left = crashPoints, crashPoint == nil || crashPoint == kind else { return }
        crashPoints = left - 1
        guard left <= 0 else { return }
        life.count("kill \(kind.rawValue)")
        isWhole = true
        kill()
    }

    // MARK: The machine's environment

    func expect(form expected: Int, of actual: Int, _ what: @autoclosure () -> String) {
        guard !isOver, expected != actual else { return }
        life.report("\(what()) has the form \(actual), not \(expected)")
    }

    func planned(_ spec: Spec, _ step: Step) {
        guard !isDead, copy == nil else { return }
        life.model.planned(spec, stream: step.stream, step: step.number, time: step.time)
        life.count("effect \(spec.kind)")
    }

    func reduced(_ act: Act, _ step: Step, luck: UInt64, from score: Score) {
        guard !isOver else { return }
        if let forkedAt = copy?.forkedAt, step.number > forkedAt { return life.report(life.model.drewInFork(luck)) }
        // The copy can go on while the original stands still.
        if copy != nil, step.number > life.model.head(of: step.stream) { return }
        life.note("reduced \(act.name) as \(step.stream) \(step.number).\(step.substep)")
        life.report(
            life.model.reduced(
                act, stream: step.stream, step: step.number, substep: step.substep, time: step.time, luck: luck,
                from: score))
    }

    /// The body of an effect.
    func perform(_ spec: Spec, _ context: EffectContext, send: Effect<Act>.Send?) async throws -> Act? {
        let place = place(context.stream, context.step, spec.name)
        let body = began(spec, context, place)
        defer { left(body, spec, context.stream) }
        if copy != nil { return nil }
        return try await withTaskCancellationHandler {
            try await nap(spec, context)
            if spec.remembers {
                let value = try await context.step("draw") {
                    if !isDead { life.report(life.model.drew(place)) }
                    life.draws += 1
                    return life.draws
                }
                if !isDead { life.report(life.model.remembered(place, value)) }
                life.count("remembered step")
                // So that a kill, or a pruning, can come between the result and the end.
                try await nap(spec, context)
            }
            if life.throwsAgain(place, spec.failures) {
                life.count("body that throws")
                throw Crash()
            }
            guard let send else { return Act(of: spec, at: place, 0, form: life.form) }
            for index in context.delivered..<max(context.delivered, spec.count) {
                try await send(Act(of: spec, at: place, index, form: life.form))
            }
            return nil
        } onCancel: {
            left(body, spec, context.stream)
        }
    }

    private func nap(_ spec: Spec, _ context: EffectContext) async throws {
        guard spec.nap > 0 else { return }
        do {
            try await context.clock.sleep(for: .seconds(spec.nap))
        } catch {
            guard spec.isStubborn, !isDead else { throw error }
        }
    }

    private func began(_ spec: Spec, _ context: EffectContext, _ place: String) -> Int {
        started += 1
        guard !isOver else { return started }
        if let copy {
            if copy.forkedAt != nil { life.report("\(place) began in a fork") }
            return started
        }
        life.note("began \(place), attempt \(context.attempt)")
        life.report(
            life.model.started(
                place, key: context.idempotencyKey, attempt: context.attempt,
                opening: life.openings[context.stream] ?? 0, now: now))
        if context.isResumed { life.count("body that began again") }
        if context.attempt > 1 { life.count("another attempt") }
        guard let lane = spec.lane else { return started }
        let queue = "\(context.stream) \(lane.name)"
        let all = bodies[queue, default: [:]].merging([started: place]) { $1 }
        bodies[queue] = all
        if let limit = life.model.limit(of: lane.name, among: all.values), all.count > limit {
            let others = all.filter { $0.key != started }.values.sorted()
            life.report("\(place) began, and in the queue \(lane.name) of \(limit) \(others) ran already")
        }
        return started
    }

    private func left(_ body: Int, _ spec: Spec, _ stream: String) {
        guard let lane = spec.lane else { return }
        bodies["\(stream) \(lane.name)", default: [:]][body] = nil
    }

    // MARK: Options

    var options: Journal.Options {
        var options = Journal.Options()
        // The socket is served by threads that the simulator does not control.
        options.acceptsOperators = false
        options.durability = life.plan.durability
        options.snapshots = SnapshotPolicy(everySteps: life.plan.snapshotSteps)
        options.retention = Retention(last: 2, everySteps: nil)
        if let steps = life.plan.stepsPerPruning {
            options.stepsPerPruning = steps
            // A transaction of a pruning ends at a snapshot.
            options.retention.last = 20
        }
        options.checkpointPages = life.plan.checkpointPages
        options.wallClock = { [self] in now }
        options.vfs = vfs.name
        options.busyTimeout = .zero
        options.sleep = { [clock] in try await clock.sleep(for: $0) }
        options.probe = { [self] in passed($0) }
        let identity = ProcessIdentity(
            host: "simulated", process: Int32(1000 + number), started: UInt64(number), boot: "\(life.boots)")
        options.identity = { identity }
        options.report = { [self] notice in
            guard !isOver else { return }
            life.note("notice \(notice.kind)")
            life.count("notice \(notice.kind)")
            // Its host opens it again, in the same process.
            if notice.kind == .storeStopped, host != nil, let stream = notice.error.stream { life.opens(stream) }
            life.report(life.judge(notice, in: self))
        }
        return options
    }
}
