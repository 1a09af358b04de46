// What callers wait for.

extension Core {
    /// An action as it goes into the journal, encoded on the caller.
    ///
    /// - Parameters:
    ///   - id: the caller's own.
    ///   - cancelID: as ``cancelText(_:)`` gives it.
    func entry(_ action: Action, id: String? = nil, cancelID: String? = nil) throws(JournalError) -> NewEntry {
        NewEntry(
            stream: stream.id, action: try encode(action), version: program.version, dispatchID: id, cancelID: cancelID)
    }

    /// So many actions are worth a task that encodes them beside this one.
    private static var worthATask: Int { 128 }

    /// The entries of many actions, in their order; a long list's by several tasks.
    func entries(_ actions: [Action], cancelID: String?) async throws(JournalError) -> [NewEntry] {
        let parts = min(Turns.processors, actions.count / Self.worthATask)
        guard parts > 1 else { return try entries(actions[...], cancelID).get() }
        let size = (actions.count + parts - 1) / parts
        typealias Part = (start: Int, entries: Result<[NewEntry], JournalError>)
        let results = await withTaskGroup(of: Part.self, returning: [Part].self) { group in
            for start in stride(from: size, to: actions.count, by: size) {
                let part = actions[start..<min(start + size, actions.count)]
                group.addTask { (start, self.entries(part, cancelID)) }
            }
            var results: [Part] = [(0, self.entries(actions[..<size], cancelID))]
            for await result in group { results.append(result) }
            return results.sorted { $0.start < $1.start }
        }
        var entries: [NewEntry] = []
        entries.reserveCapacity(actions.count)
        for result in results { entries += try result.entries.get() }
        return entries
    }

    private func entries(_ actions: ArraySlice<Action>, _ cancelID: String?) -> Result<[NewEntry], JournalError> {
        Result { () throws(JournalError) in
            var entries: [NewEntry] = []
            entries.reserveCapacity(actions.count)
            for action in actions { entries.append(try entry(action, cancelID: cancelID)) }
            return entries
        }
    }

    /// An ID that cancels a whole dispatch, as it is stored.
    func cancelText(_ id: (any EffectID)?) throws(JournalError) -> String? {
        guard let id else { return nil }
        return try program.encode(id: AnyEffectID(id), place)
    }

    /// Posts an event that is answered.
    func asking(
        _ event: @escaping (@escaping @Sendable (Result<Void, JournalError>) -> Void) -> Event
    ) async throws(JournalError) {
        try await withUnsafeContinuation { continuation in
            post(event { continuation.resume(returning: $0) })
        }.get()
    }

    /// Cancels, and returns once that is committed.
    func cancel(_ what: Cancellation) async throws(JournalError) {
        try await asking { .cancel(what, $0) }
    }

    /// Ends the store, and closes the stream.
    func close() async throws(JournalError) {
        try await asking { reply in .close { reply(.success(())) } }
        let (state, step) = published.newest
        // The journal's own close may have been before: then there is nothing left to be closed.
        try await stream.close(at: step, version: program.version) { [program, place] in
            try program.encode(state, place.at(step))
        }
    }
}
