// The effects of a replayed step in the form that its record uses, for comparison and display.

extension Program {
    /// The effects of a step, including its messages to other machines.
    func effects(of folded: FoldedStep<Action, State>, from before: @autoclosure () -> State) -> [EffectNote] {
        parts(of: folded, from: before()).compactMap(note)
    }

    func parts(
        of folded: FoldedStep<Action, State>, from before: @autoclosure () -> State
    ) -> [Effect<Action>.Part] {
        // A skipped step has no effects.
        guard let action = folded.action else { return folded.reduction.effects }
        return parts(of: folded.reduction, Transition(folded, action, from: before(), to: folded.after))
    }

    /// What a reduction returned, and the messages that links derive from it.
    func parts(
        of reduction: Reduction<Action>, _ transition: @autoclosure () -> Transition<Action, State>
    ) -> [Effect<Action>.Part] {
        guard !links.isEmpty, reduction.outcome == .reduced else { return reduction.effects }
        var reduction = reduction
        reduction.add(messages(of: transition()).map { Effect.Run($0) })
        return reduction.effects
    }

    func note(_ part: Effect<Action>.Part) -> EffectNote? {
        switch part {
        case .next, .reject: return nil
        case .run(let run):
            // If the ID cannot be encoded, the queue is left out too.
            let id = try? run.id.map { try ids.encode($0) }
            let isLost = run.id != nil && id == nil
            let queue = isLost || run.work.isMessage ? nil : run.queue.map { AnyEffectID($0) }
            return EffectNote(run, id: id, queue: queue.flatMap { try? ids.encode($0) })
        case .cancel(.id(let id)): return EffectNote(cancelling: try? ids.encode(id))
        case .cancel(.predicate): return EffectNote(cancelling: nil)
        case .updateQueue(let queue): return EffectNote(updating: try? ids.encode(AnyEffectID(queue)))
        }
    }

    /// The messages that a step sends to other machines.
    func messages(of transition: Transition<Action, State>) -> [Message] {
        links.compactMap { $0.message(transition) }
    }
}
