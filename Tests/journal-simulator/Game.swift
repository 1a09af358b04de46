import JournalStore

/// An action says what its reduction does, so the simulation invents machines by inventing actions.
struct Act: Codable, Hashable, Sendable {
    /// Unique among all actions of a life. Actions of effects have the place of the effect in it.
    var name: String
    var ops: [Op] = []
    /// The version of the machine that reads it as it is; 1 if the versions do not change how actions are stored.
    var form = 1
}

enum Op: Codable, Hashable, Sendable {
    case start(Spec)
    case cancel(String)
    indirect case next(Act)
    case reject
    case update(Lane)
    /// A message for the stream "b".
    case tell
    /// One tick of the timer at this place, which is cancelled after this many.
    case tick(String, last: Int)
}

/// One effect.
struct Spec: Codable, Hashable, Sendable {
    enum Kind: String, Codable, CaseIterable {
        case run, fire, stream, sequence, described, after, at, every, ephemeral
    }

    enum Restart: String, Codable, CaseIterable { case resume, cancel, ask, dispatch }

    /// Unique in its step.
    var name: String
    var kind = Kind.run
    var id: String?
    var lane: Lane?
    var delay = 0
    var restart = Restart.resume
    /// How many attempts the retry policy permits.
    var attempts = 1
    /// How often its body throws before it succeeds.
    var failures = 0
    /// The seconds that its body sleeps.
    var nap = 0
    /// Whether its body remembers a result.
    var remembers = false
    /// How many actions a stream or a sequence sends, and how often a timer repeats.
    var count = 1
    /// Whether its body goes on after it was cancelled.
    var isStubborn = false
    var reportsFailure = false
    /// Whether it sends an action when it is cancelled.
    var isUndone = false
    /// What the action that it sends does.
    var then: [Op] = []

    /// The last version of the machine whose reducer returns it; nil for all.
    var lastVersion: Int?

    func isReturned(by version: Int) -> Bool { version <= lastVersion ?? version }

    var throwsTooOften: Bool { failures >= attempts }
    var isTimer: Bool { [.after, .at, .every].contains(kind) }
}

/// A queue whose rule can change: only the name makes two queues equal.
struct Lane: EffectQueue {
    enum Kind: String, Codable, CaseIterable { case suspending, discarding, newest }

    var name: String
    var kind = Kind.suspending
    var limit = 1
    var delay = 0

    static func == (left: Lane, right: Lane) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    var effectQueuePolicy: EffectQueuePolicy {
        switch kind {
        case .suspending: .runOldest(maxCount: limit, .suspendNew)
        case .discarding: .runOldest(maxCount: limit, .discardNew)
        case .newest: .runNewest(maxCount: limit)
        }
    }

    var effectQueueDelay: EffectQueueDelay { .constant(.seconds(delay)) }
}

/// The state: enough to notice another order, a missing action or one too many.
struct Score: Codable, Hashable, Sendable {
    var count = 0
    var digest: UInt64 = 0
    var ticks: [String: Int] = [:]
    /// The sum of the random numbers that the steps drew.
    var luck: UInt64 = 0
    /// As of an action.
    var form = 1

    /// - Parameter rules: what differs between versions of the machine.
    mutating func add(_ act: Act, _ rules: Int) {
        count += 1
        digest ^= UInt64(rules - 1)
        for byte in act.name.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Counts a tick, and says whether it is the last one.
    mutating func tick(_ place: String, last: Int) -> Bool {
        ticks[place, default: 0] += 1
        guard ticks[place] ?? 0 >= last else { return false }
        ticks[place] = nil
        return true
    }
}

struct Crash: Error {}

/// The place of an effect: unique in a life, and the same after each restart.
func place(_ stream: String, _ step: Int, _ name: String) -> String { "\(stream)/\(step)/\(name)" }

extension Act {
    /// The action with this number of an effect.
    init(of spec: Spec, at place: String, _ index: Int, form: Int) {
        self = Act(name: "\(place)/\(index)", ops: index == 0 ? spec.then : []).inForm(form)
    }

    init(_ event: String, of place: String, form: Int) {
        self.init(name: "\(place)/\(event)", form: form)
    }

    /// The same action, and all in it, as another version stores it.
    func inForm(_ form: Int) -> Act { Act(name: name, ops: ops.map { $0.inForm(form) }, form: form) }
}

extension Op {
    fileprivate func inForm(_ form: Int) -> Op {
        switch self {
        case .next(let act): return .next(act.inForm(form))
        case .start(var spec):
            spec.then = spec.then.map { $0.inForm(form) }
            return .start(spec)
        case .cancel, .reject, .update, .tell, .tick: return self
        }
    }
}

enum Game {
    static let streams = ["a", "b"]

    static let codec = JSONCodec()

    /// The effect that starts once in each stream.
    static let initial = Spec(name: "initial", kind: .fire)

    static func machine(version: Int, name: String = "game", _ world: World) -> Machine<Act, Score, World> {
        let (life, form) = (world.life, world.life.form(of: version))
        var plain = Machine<Act, Score, World>(
            name, version: version, initialState: Score(form: form), reducer: reducer(version, life.rules(of: version)))
        plain.initialEffect = .fireAndForget(initial.name) { _ = try await world.perform(initial, $0, send: nil) }
        for older in 1..<max(2, version) where older < version {
            guard life.plan.changesForms else {
                plain = plain.unchanged(since: older)
                continue
            }
            // What an older version has not written gets a form that no version has: then the reducer notices it. The
            // recorded cascade of a step is tried with the upcasters of each version that may have recorded it.
            let convert = { @Sendable (form: Int) in form == older ? older + 1 : 0 }
            plain =
                plain
                .upcasting(actionsFrom: older) { (act: Act) in act.inForm(convert(act.form)) }
                .upcasting(statesFrom: older) { (score: Score) in
                    var score = score
                    score.form = convert(score.form)
                    return score
                }
        }
        return plain.connected(to: plain) { step in
            step.action.ops.contains(.tell) ? ("b", Act("told", of: step.action.name, form: form)) : nil
        }
    }

    private static func reducer(_ version: Int, _ rules: Int) -> Reducer<Act, Score, World> {
        Reducer { act, score, world, step in reduce(act, &score, world, &step, version, rules) }
            .handling(Spec.self) { spec, world, context in try await world.perform(spec, context, send: nil) }
    }

    private static func reduce(
        _ act: Act, _ score: inout Score, _ world: World, _ step: inout Step, _ version: Int, _ rules: Int
    ) -> Effect<Act> {
        let (before, luck) = (score, step.next())
        score.add(act, rules)
        score.luck &+= luck
        let form = world.life.form(of: version)
        if step.substep == 0 { world.expect(form: form, of: act.form, "the action of step \(step.number)") }
        world.expect(form: form, of: before.form, "the state before step \(step.number)")
        world.reduced(act, step, luck: luck, from: before)
        var effect = Effect<Act>.none
        for op in act.ops {
            switch op {
            case .reject: return .reject("no")
            case .next(let act): effect = effect + .next(act)
            case .cancel(let id): effect = effect + .cancel(id: id)
            case .update(let lane): effect = effect + .updateQueue(lane)
            case .start(let spec):
                if spec.isReturned(by: version) { effect = effect + start(spec, step, form, world) }
            case .tell: break
            case .tick(let place, let last):
                if score.tick(place, last: last) { effect = effect + .cancel(id: place) }
            }
        }
        return effect
    }

    private static func start(_ spec: Spec, _ step: Step, _ form: Int, _ world: World) -> Effect<Act> {
        world.planned(spec, step)
        let place = place(step.stream, step.number, spec.name)
        let (name, delay, retry) = (
            spec.name, Duration.seconds(spec.delay),
            RetryPolicy.constant(maxAttempts: spec.attempts, delay: .seconds(1))
        )
        let restart: Effect<Act>.Restart =
            switch spec.restart {
            case .resume: .resume
            case .cancel: .cancel
            case .ask: .ask
            case .dispatch: .dispatch(Act("restarted", of: place, form: form))
            }
        var effect: Effect<Act> =
            switch spec.kind {
            case .run:
                .run(name, id: spec.id, queue: spec.lane, delay: delay, restart: restart, retry: retry) {
                    try await world.perform(spec, $0, send: nil)
                }
            case .fire:
                .fireAndForget(name, id: spec.id, queue: spec.lane, delay: delay, restart: restart, retry: retry) {
                    _ = try await world.perform(spec, $0, send: nil)
                }
            case .stream:
                .stream(name, id: spec.id, queue: spec.lane, delay: delay, restart: restart, retry: retry) {
                    _ = try await world.perform(spec, $1, send: $0)
                }
            case .sequence:
                .sequence(name, id: spec.id, queue: spec.lane, delay: delay, restart: restart, retry: retry) {
                    context in
                    _ = try await world.perform(spec, context, send: nil)
                    return AsyncStream { actions in
                        for index in context.delivered..<max(context.delivered, spec.count) {
                            actions.yield(Act(of: spec, at: place, index, form: form))
                        }
                        actions.finish()
                    }
                }
            case .described:
                .perform(spec, name: name, id: spec.id, queue: spec.lane, delay: delay, restart: restart, retry: retry)
            case .after: .after(delay, Act(of: spec, at: place, 0, form: form), name: name, id: spec.id)
            case .at:
                .at(
                    Timestamp(microseconds: step.time.microseconds + Int64(spec.delay) * 1_000_000),
                    Act(of: spec, at: place, 0, form: form), name: name, id: spec.id)
            case .every:
                .every(
                    delay + .seconds(1), Act(name: "\(place)/tick", ops: [.tick(place, last: spec.count)], form: form),
                    missed: .all, name: name, id: place)
            case .ephemeral:
                .ephemeral(name, id: spec.id, queue: spec.lane, delay: delay) {
                    _ = try await world.perform(spec, $0, send: nil)
                }
            }
        if spec.reportsFailure { effect = effect.onFailure(Act("failed", of: place, form: form)) }
        if spec.isUndone { effect = effect.onCancel(Act("undone", of: place, form: form)) }
        return effect
    }
}

// MARK: - For the trace

extension Act: CustomStringConvertible {
    var description: String { ops.isEmpty ? name : "\(name)(\(ops.map(\.description).joined(separator: ", ")))" }
}

extension Op: CustomStringConvertible {
    var description: String {
        switch self {
        case .start(let spec): "\(spec)"
        case .cancel(let id): "cancel \(id)"
        case .next(let act): "then \(act)"
        case .reject: "reject"
        case .update(let lane): "update \(lane)"
        case .tell: "tell b"
        case .tick(let place, let last): "tick \(place) of \(last)"
        }
    }
}

extension Lane: CustomStringConvertible {
    var description: String { "\(name) [\(kind) \(limit)\(delay > 0 ? ", delay \(delay)" : "")]" }
}

extension Spec: CustomStringConvertible {
    /// What differs from the simplest effect.
    var description: String {
        var words = ["\(kind) \(name)"]
        if let id { words.append("id \(id)") }
        if let lane { words.append("in \(lane)") }
        if delay > 0 { words.append("delay \(delay)") }
        if nap > 0 { words.append("nap \(nap)") }
        if restart != .resume { words.append("restart \(restart)") }
        if attempts > 1 { words.append("attempts \(attempts)") }
        if failures > 0 { words.append("throws \(failures)") }
        if count > 1 { words.append("count \(count)") }
        if remembers { words.append("remembers") }
        if isStubborn { words.append("stubborn") }
        if reportsFailure { words.append("reports failure") }
        if isUndone { words.append("undone if cancelled") }
        if let lastVersion { words.append("until version \(lastVersion)") }
        if !then.isEmpty { words.append("then \(then)") }
        return words.joined(separator: " ")
    }
}
