/// Finds the `When` of a state without trying all of them.
///
/// Which of them can match a case is found out when a state of that case is first seen; that depends on the case and on
/// nothing else.
final class WhenIndex<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    private typealias Matched = MatchedWhen<State, Event, Output>

    private let whens: [When<State, Event, Output>]
    private let tag = EnumTag<State>()
    private let payloads = PayloadReader<Event>()
    private let known = Lock<[KnownCandidates]>([])

    init(_ whens: [When<State, Event, Output>]) {
        self.whens = whens
    }

    func output(for state: State) -> Output? {
        var candidate = firstCandidate(for: state)
        while let current = candidate {
            let when = matched(current)
            if when.matches(state) { return when.output(state) }
            candidate = current.next
        }
        return nil
    }

    /// Changes the state, and returns true, if an event is accepted.
    func reacts(to event: Event, _ state: inout State) -> Bool {
        var candidate = firstCandidate(for: state)
        while let current = candidate {
            let when = matched(current)
            if when.matches(state), when.react(event, payloads, &state) { return true }
            candidate = current.next
        }
        return false
    }

    private func firstCandidate(for state: State) -> Candidate? {
        let number = tag?.of(state) ?? 0
        let found = known.withLock { number < $0.count ? $0[number] : .unknown }
        if case .first(let candidate) = found { return candidate }
        // Without tags there is one list, of all.
        let matching = tag == nil ? whens : whens.filter { $0.states.canMatch(caseOf: state) }
        let ofCase = tag == nil ? nil : state
        let first = matching.reversed().reduce(nil) { Candidate(Matched($1, ofCase: ofCase), $0) }
        guard number < EnumTag<State>.listLimit else { return first }
        known.withLock { known in
            while known.count <= number { known.append(.unknown) }
            known[number] = .first(first)
        }
        return first
    }

    private func matched(_ candidate: Candidate) -> Matched {
        // `firstCandidate` puts nothing but these into a candidate.
        unsafeDowncast(candidate.item, to: Matched.self)
    }
}

/// The first candidate of a case. Not nested: arrays of a type that depends on the machine are slow.
private enum KnownCandidates: Sendable {
    case unknown
    case first(Candidate?)
}

/// A `When` as the index holds it, with a test only if the case does not decide.
private final class MatchedWhen<
    State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable
>: Sendable {
    let output: @Sendable (State) -> Output?
    let react: @Sendable (Event, PayloadReader<Event>, inout State) -> Bool
    private let test: (@Sendable (State) -> Bool)?

    /// - Parameter state: a state of the case that it is asked about; nil if it is asked about all.
    init(_ when: When<State, Event, Output>, ofCase state: State?) {
        (output, react) = (when.output, when.react)
        test = state != nil && when.states.isDecidedByCase(of: state) ? nil : when.states.test
    }

    func matches(_ state: State) -> Bool { test?(state) ?? true }
}
