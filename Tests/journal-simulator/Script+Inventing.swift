extension Script {
    static let ids = ["x", "y", "z"]

    func invent(depth: Int = 0) -> Act {
        var act = Act(name: life.newName("d"))
        if choices.isOne(in: 10) { return race(act) }
        while act.ops.count < 3, choices.next(3) != 0 { act.ops.append(op(depth)) }
        return act
    }

    /// Effects that end at the same time, so that their results share a transaction. One of them may cancel the others.
    private func race(_ act: Act) -> Act {
        let (id, nap) = (choices.pick(Script.ids), choices.pick([0, 1]))
        let winner = choices.next(8)
        var act = act
        for number in 0..<4 {
            var spec = Spec(name: life.newName("e"), id: id, nap: nap)
            if number == winner { spec.then = [.cancel(id)] }
            if choices.isOne(in: 4) { spec.isUndone = true }
            act.ops.append(.start(spec))
        }
        return act
    }

    func op(_ depth: Int) -> Op {
        switch choices.next(12) {
        case 0...6: .start(spec(depth))
        case 7: .cancel(choices.pick(Script.ids))
        case 8: depth < 2 ? .next(invent(depth: depth + 1)) : .tell
        case 9: choices.isOne(in: 2) ? .reject : .tell
        case 10: .update(lane())
        default: .tell
        }
    }

    func lane() -> Lane {
        let name = life.plan.crowd ?? choices.pick(["p", "q", "r", "s"])
        let kinds: [Lane.Kind] =
            switch name {
            case "p": [.suspending]
            case "q": [.suspending, .discarding]
            case "r": Lane.Kind.allCases
            default: [.discarding, .newest]
            }
        return Lane(
            name: name, kind: choices.pick(kinds), limit: life.plan.hasNarrowQueues ? 1 : 1 + choices.next(2),
            delay: life.plan.hasSlowQueues ? 10 : choices.isOne(in: 5) ? 2 : 0)
    }

    func spec(_ depth: Int) -> Spec {
        var spec = Spec(name: life.newName("e"))
        spec.kind = choices.pick(Spec.Kind.allCases)
        if choices.isOne(in: 3) { spec.id = choices.pick(Script.ids) }
        if life.plan.crowd != nil || choices.isOne(in: 3) { spec.lane = lane() }
        spec.delay = choices.pick([0, 0, 0, 2, 10])
        spec.nap = choices.pick([0, 0, 0, 1, 5, 25])
        if life.plan.hasPolicies || choices.isOne(in: 4) { spec.restart = choices.pick(Spec.Restart.allCases) }
        if choices.isOne(in: 4) {
            spec.attempts = 1 + choices.next(3)
            spec.failures = choices.next(4)
            spec.reportsFailure = choices.isOne(in: 2)
        }
        spec.isUndone = choices.isOne(in: 3)
        spec.remembers = choices.isOne(in: 4)
        spec.isStubborn = choices.isOne(in: 6)
        if [.stream, .sequence, .every].contains(spec.kind) { spec.count = 1 + choices.next(3) }
        if depth < 2, choices.isOne(in: 4) { spec.then = [op(depth + 1)] }
        if life.plan.dropsEffects, choices.isOne(in: 3) { spec.lastVersion = life.version }
        switch spec.kind {
        case .after, .at, .every:
            (spec.lane, spec.restart, spec.failures, spec.reportsFailure) = (nil, .resume, 0, false)
            // The action that counts its last tick cancels it.
            if spec.kind == .every { spec.isUndone = false }
            // Longer than a timer waits before it reads the clock again.
            if spec.kind == .at, choices.isOne(in: 3) { spec.delay = 45 }
        case .ephemeral:
            spec.isUndone = false
            (spec.restart, spec.remembers, spec.failures, spec.reportsFailure) = (.resume, false, 0, false)
        default: break
        }
        return spec
    }
}
