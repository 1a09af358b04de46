/// Finds the `When` of a state without trying all of them.
///
/// Which of them can match a case is found out when a state of that case is first seen; that depends on the case and on nothing else.
final class WhenIndex<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    private let whens: [When<State, Event, Output>]
    private let tag = EnumTag<State>()
    private let payloads = PayloadReader<Event>()
    /// By the number of the case, the first candidate.
    private let candidates = Lock<[Candidates]>([])

    private enum Candidates: Sendable {
        case unknown
        case first(Candidate?)
    }

    init(_ whens: [When<State, Event, Output>]) {
        self.whens = whens
    }

    func output(for state: State) -> Output? {
        var candidate = firstCandidate(for: state)
        while let current = candidate {
            let when = when(of: current)
            if when.states.test(state) { return when.execute(state).output }
            candidate = current.next
        }
        return nil
    }

    func next(_ event: Event, in state: State) -> State? {
        var candidate = firstCandidate(for: state)
        while let current = candidate {
            let when = when(of: current)
            if when.states.test(state) {
                for on in when.transitions(in: state) {
                    if case .moves(let move, _) = on.verdict(on: event, payloads) { return move.state }
                }
            }
            candidate = current.next
        }
        return nil
    }

    private func firstCandidate(for state: State) -> Candidate? {
        let number = tag?.of(state) ?? 0
        let known = candidates.withLock { number < $0.count ? $0[number] : .unknown }
        if case .first(let candidate) = known { return candidate }
        // Without tags there is one list, of all.
        let matching = tag == nil ? whens : whens.filter { $0.states.canMatch(caseOf: state) }
        let first = matching.reversed().reduce(nil) { Candidate(WhenBox($1), $0) }
        candidates.withLock { candidates in
            while candidates.count <= number { candidates.append(.unknown) }
            candidates[number] = .first(first)
        }
        return first
    }

    private func when(of candidate: Candidate) -> When<State, Event, Output> {
        // `firstCandidate` puts nothing but boxes of this type into a candidate.
        unsafeDowncast(candidate.item, to: WhenBox<State, Event, Output>.self).when
    }
}

private final class WhenBox<State: Equatable & Sendable, Event: Equatable & Sendable, Output: Sendable>: Sendable {
    let when: When<State, Event, Output>

    init(_ when: When<State, Event, Output>) {
        self.when = when
    }
}
