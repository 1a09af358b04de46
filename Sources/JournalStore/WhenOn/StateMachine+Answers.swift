extension StateMachine {
    /// An `On`, by the places of its `When` and of itself.
    struct Place: Hashable, Comparable {
        let when: Int
        let on: Int

        static func < (left: Place, right: Place) -> Bool { (left.when, left.on) < (right.when, right.on) }
    }

    /// What each `On` says to an event, in order, also after the one that counts: for diagrams and reviews.
    func answers(
        to event: Event, in state: State
    ) -> [(place: Place, on: On<State, Event>, verdict: On<State, Event>.Verdict)] {
        let payloads = PayloadReader<Event>()
        return whens.indices.flatMap { when in
            let list = whens[when].states.test(state) ? whens[when].transitions(in: state) : []
            return list.indices.map { on in
                (Place(when: when, on: on), list[on], list[on].verdict(on: event, payloads))
            }
        }
    }

    /// The name of a value in diagrams: that of its case, if it has one.
    static func name<Value>(of value: Value) -> String {
        EnumTag<Value>() == nil ? "\(value)" : StoredName.ofCase(value)
    }
}
