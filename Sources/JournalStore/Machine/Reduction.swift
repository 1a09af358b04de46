/// The result of reducing one entry: its action and the cascade that `.next` added.
struct Reduction<Action: Sendable>: Sendable {
    typealias Outcome = ReductionOutcome

    /// The fields that most steps leave empty. Boxed in a class so that plain steps need no metadata for their types.
    private final class Rest: Sendable {
        let cascade: [Action]
        let effects: [Effect<Action>.Part]

        init(_ cascade: [Action], _ effects: [Effect<Action>.Part]) {
            self.cascade = cascade
            self.effects = effects
        }
    }

    var outcome = Outcome.reduced
    private var rest: Rest?

    /// The actions that `.next` added and that were not rejected, in the order they were reduced.
    var cascade: [Action] { rest?.cascade ?? [] }
    /// The effects to start, in order. Each `.next` is replaced by the effects of its action.
    var effects: [Effect<Action>.Part] { rest?.effects ?? [] }

    /// Whether the step has no result but a new state. Stored, because most steps are plain and inspecting arrays of a
    /// type that depends on the machine is slow.
    private(set) var isPlain: Bool

    /// Whether something was rejected and nothing was undone: neither the state nor this value has a meaning.
    private(set) var isSpoiled = false

    /// A new state without cascade and effects.
    init() { isPlain = true }

    init(outcome: Outcome) {
        self.outcome = outcome
        isPlain = false
    }

    init(effects: [Effect<Action>.Part]) {
        rest = Rest([], effects)
        isPlain = effects.isEmpty
    }

    // Not by `==`, which looks up generic metadata.
    var isReduced: Bool { if case .reduced = outcome { true } else { false } }

    var hasRuns: Bool { effects.contains { if case .run = $0 { true } else { false } } }

    /// Appends further runs.
    mutating func add(_ runs: [Effect<Action>.Run]) {
        guard !runs.isEmpty else { return }
        rest = Rest(cascade, effects + runs.map { .run($0) })
        isPlain = false
    }

    /// Reduces an action and its cascade, depth first. Pure: the same input gives the same result.
    ///
    /// A rejected action leaves the state unchanged and has no effects. If the entry's own action is rejected, nothing
    /// else is reduced. A cascade longer than `limit` rejects the whole step.
    ///
    /// - Parameter undoing: whether to undo what was rejected. That takes copies of the state, and the first change of
    ///   a collection that has a copy copies all its elements. If false, the result of a rejection is ``isSpoiled``.
    @inline(__always)
    static func of<State>(
        _ action: Action, _ state: inout State, _ step: Step, limit: Int, undoing: Bool,
        reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) -> Reduction {
        if undoing { return Reduction(undoing: action, &state, step, limit: limit, reduce: reduce) }
        var first = step
        let effect = reduce(action, &state, &first)
        return effect.isNone ? Reduction() : Reduction(action, effect, &state, step, limit: limit, reduce: reduce)
    }

    @inline(never)
    private init<State>(
        undoing action: Action, _ state: inout State, _ step: Step, limit: Int,
        reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) {
        let before = state
        var first = step
        let effect = reduce(action, &state, &first)
        self =
            effect.isNone
            ? Reduction() : Reduction(action, effect, &state, undoingTo: before, step, limit: limit, reduce: reduce)
    }

    // The next two are outlined: an optional state on the path of plain steps would look up its metadata in each.

    /// Continues if the action returned an effect.
    @inline(never)
    private init<State>(
        _ action: Action, _ effect: Effect<Action>, _ state: inout State, _ step: Step, limit: Int,
        reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) {
        self.init(action, effect, &state, undoingIf: nil, step, limit: limit, reduce: reduce)
    }

    /// Continues if the action returned an effect.
    ///
    /// - Parameter before: the state before the action.
    @inline(never)
    private init<State>(
        _ action: Action, _ effect: Effect<Action>, _ state: inout State, undoingTo before: State, _ step: Step,
        limit: Int, reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) {
        self.init(action, effect, &state, undoingIf: before, step, limit: limit, reduce: reduce)
    }

    /// Continues if the action returned an effect.
    ///
    /// - Parameter before: the state before the action; nil if nothing is undone.
    private init<State>(
        _ action: Action, _ effect: Effect<Action>, _ state: inout State, undoingIf before: State?, _ step: Step,
        limit: Int, reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) {
        isPlain = false
        if let reason = effect.refusal {
            undo(&state, to: before)
            outcome = .rejected(reason: reason)
            return
        }
        // The parts still to process, the next one last. A heap stack: a long cascade must not overflow the thread's.
        var line = effect.named(after: action).parts.reversed() as [Effect<Action>.Part]
        var (cascade, effects): ([Action], [Effect<Action>.Part]) = ([], [])
        var substep = 0
        while let part = line.popLast() {
            guard case .next(let next) = part else {
                effects.append(part)
                continue
            }
            substep += 1
            if substep > limit {
                undo(&state, to: before)
                outcome = .rejected(reason: "The cascade of .next is longer than \(limit) actions.")
                return
            }
            let beforeNext = before == nil ? nil : state
            var step = step.substep(substep)
            let effect = reduce(next, &state, &step)
            if effect.refusal != nil {
                undo(&state, to: beforeNext)
                if isSpoiled { return }
                continue
            }
            cascade.append(next)
            line.append(contentsOf: effect.named(after: next).parts.reversed())
        }
        // Plain if every `.next` was rejected and nothing else was returned.
        isPlain = effects.isEmpty && cascade.isEmpty
        rest = Rest(cascade, effects)
    }

    private mutating func undo<State>(_ state: inout State, to before: State?) {
        if let before { state = before } else { isSpoiled = true }
    }
}

/// The outcome of an entry's own action. Not nested in the generic type: each copy would look up its metadata.
enum ReductionOutcome: Hashable, Sendable {
    case reduced
    case rejected(reason: String)
    /// An operator skipped the step.
    case skipped
}

extension Effect {
    /// Why the action is rejected; nil if it is not.
    var refusal: String? {
        for case .reject(let reason) in parts { return reason }
        return nil
    }

    /// The same effect, with the case of the action that returned it as the name of each unnamed run.
    fileprivate func named(after action: Action) -> Effect {
        named(StoredName.caseName(of: action))
    }

    /// The same effect, with a name for each unnamed run.
    func named(_ name: @autoclosure () -> StoredName.CaseName) -> Effect {
        var found: StoredName.CaseName?
        var parts = parts
        for index in parts.indices {
            guard case .run(var run) = parts[index], run.name == nil else { continue }
            let made = found ?? name()
            found = made
            (run.name, run.earlierName) = (made.name, made.earlierName)
            parts[index] = .run(run)
        }
        return found == nil ? self : Effect(parts: parts)
    }
}
