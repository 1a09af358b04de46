extension StoreEngine {
    /// Cancels, and returns once that is committed.
    func cancel(_ what: Event.Cancellation) async throws(JournalError) {
        try await ask { .cancel(what, $0) }
    }

    func cancel(_ what: Event.Cancellation, _ reply: @escaping Event.Reply) {
        // The caller asks the next store.
        if isClosingIdle { return reply(.failure(refusal)) }
        let now = moment
        let before = scheduler.changes
        switch what {
        case .id(let id): cancel(id, text: nil, at: now)
        case .condition(let condition): cancel(where: condition, at: now)
        case .root(let root):
            for key in scheduler.keys(ofRoot: root).sorted() { scheduler.cancel(key, at: now) }
        }
        let hasCancelled = scheduler.changes != before
        startDue(now)
        answerWhenWritten { result in
            reply(result.mapError { hasCancelled ? $0.afterItsAct("the effects are cancelled") : $0 })
        }
    }

    func cancel(where condition: (AnyEffectID?) -> Bool, at now: Moment) {
        scheduler.cancel(where: condition, roots: dispatches.roots.steps(where: condition), at: now)
    }

    /// - Parameter text: the ID as it is stored, if that is known.
    func cancel(_ id: AnyEffectID, text: String?, at now: Moment) {
        // One that a state or an action has kept, and that was decoded with it.
        if let stored = id.base as? StoredID, let value = scheduler.value(of: stored) {
            return cancel(value, text: stored.text, at: now)
        }
        var roots: Set<Int> = []
        var text = text
        if !dispatches.roots.isEmpty || scheduler.hasStoredIDs {
            text = text ?? (try? program.ids.encode(id))
            roots = dispatches.roots.steps(of: id, text: text)
        }
        scheduler.cancel(id: id, text: text, roots: roots, at: now)
    }
}
