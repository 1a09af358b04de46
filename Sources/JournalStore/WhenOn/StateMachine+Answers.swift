extension StateMachine {
    /// An `On`, by the places of its `When` and of itself.
    struct Place: Hashable, Comparable {
        let when: Int
        let on: Int

        static func < (left: Place, right: Place) -> Bool { (left.when, left.on) < (right.when, right.on) }
    }

    /// What an `On` says to an event.
    enum Answer {
        case refuses
        case moves(to: State, Guard?)

        var move: (next: State, condition: Guard?)? {
            if case .moves(let next, let condition) = self { (next, condition) } else { nil }
        }
    }

    /// What each `On` says to an event, in order, also after the one that counts: for diagrams and reviews.
    func answers(
        to event: Event, in state: State
    ) -> [(place: Place, answer: Answer)] {
        let payloads = PayloadReader<Event>()
        return whens.indices.flatMap { when in
            let list = whens[when].states.test(state) ? whens[when].transitions(state) : []
            return list.indices.map { on in
                var next = state
                let verdict = list[on].react(event, payloads, &next)
                let answer: Answer =
                    if case .moves(let condition) = verdict { .moves(to: next, condition) } else { .refuses }
                return (Place(when: when, on: on), answer)
            }
        }
    }

    /// The name of a value in diagrams: that of its case, if it has one.
    static func name<Value>(of value: Value) -> String {
        EnumTag<Value>() == nil ? "\(value)" : StoredName.ofCase(value)
    }
}
