/// What one entry came to: the action with everything that `.next` added, reduced at once.
struct Reduction<Action: Sendable>: Sendable {
    typealias Outcome = ReductionOutcome

    /// What most steps have nothing of. An object, so that those need not know the types in it.
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

    /// The actions that `.next` added and that were not refused, in the order they were reduced.
    var cascade: [Action] { rest?.cascade ?? [] }
    /// What is to happen, in order. A `.next` stands for what it came to.
    var effects: [Effect<Action>.Part] { rest?.effects ?? [] }

    /// Whether it came to nothing but a new state. Kept, as most steps do, and lists of a type that depends on the machine are slow
    /// to ask.
    private(set) var isPlain: Bool

    /// Nothing but a new state.
    init() { isPlain = true }

    init(outcome: Outcome) {
        self.outcome = outcome
        isPlain = false
    }

    init(effects: [Effect<Action>.Part]) {
        rest = Rest([], effects)
        isPlain = effects.isEmpty
    }

    /// Adds what happens besides.
    mutating func add(_ runs: [Effect<Action>.Run]) {
        guard !runs.isEmpty else { return }
        rest = Rest(cascade, effects + runs.map { .run($0) })
        isPlain = false
    }

    /// Reduces an action and its cascade, depth first. Pure: the same for the same.
    ///
    /// An action that is refused leaves no trace in the state and has no effect; where it is the entry's own, nothing else
    /// is reduced either. A cascade that does not end is refused as a whole.
    static func of<State>(
        _ action: Action, _ state: inout State, _ step: Step, limit: Int,
        reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) -> Reduction {
        let before = state
        var first = step
        let effect = reduce(action, &state, &first)
        // In a function of its own, where the types it needs are looked up only then.
        return effect.isNone
            ? Reduction() : Reduction(action, effect, &state, before, step, limit: limit, reduce: reduce)
    }

    /// The same, where the action came to more than a new state.
    private init<State>(
        _ action: Action, _ effect: Effect<Action>, _ state: inout State, _ before: State, _ step: Step, limit: Int,
        reduce: (Action, inout State, inout Step) -> Effect<Action>
    ) {
        isPlain = false
        if let reason = effect.refusal {
            state = before
            outcome = .rejected(reason: reason)
            return
        }
        // What is still to be looked at, the next at the end. A stack of its own: a long cascade must not use up the thread's.
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
                state = before
                self = Reduction(outcome: .rejected(reason: "The cascade of .next is longer than \(limit) actions."))
                return
            }
            let beforeNext = state
            var step = step.substep(substep)
            let effect = reduce(next, &state, &step)
            if effect.refusal != nil {
                state = beforeNext
                continue
            }
            cascade.append(next)
            line.append(contentsOf: effect.named(after: next).parts.reversed())
        }
        // Where each `.next` was refused, it came to nothing else.
        isPlain = effects.isEmpty && cascade.isEmpty
        rest = Rest(cascade, effects)
    }
}

/// What became of an entry's own action. Not of a type that depends on the machine, which would be looked up wherever it is copied.
enum ReductionOutcome: Hashable, Sendable {
    case reduced
    case rejected(reason: String)
    /// An operator had it passed over.
    case skipped
}

extension Effect {
    fileprivate var refusal: String? {
        for case .reject(let reason) in parts { return reason }
        return nil
    }

    /// The same with a name for each run that has none: the case of the action that returned it.
    fileprivate func named(after action: Action) -> Effect {
        named(StoredName.ofCase(action))
    }

    /// The same with a name for each run that has none.
    func named(_ name: @autoclosure () -> String) -> Effect {
        var found: String?
        var parts = parts
        for index in parts.indices {
            guard case .run(var run) = parts[index], run.name == nil else { continue }
            run.name = found ?? name()
            found = run.name
            parts[index] = .run(run)
        }
        return found == nil ? self : Effect(parts: parts)
    }
}
