// What callers wait for.

extension Core {
    /// The actions as they go into the journal, encoded on the caller.
    ///
    /// - Parameter id: the caller's own, where it is one action.
    func batch(
        _ actions: [Action], id: String? = nil, cancelID: (any EffectID)? = nil
    ) throws(JournalError) -> Batch {
        let cancel = try cancelID.map { id throws(JournalError) in try program.encode(id: AnyEffectID(id), place) }
        var entries: [NewEntry] = []
        entries.reserveCapacity(actions.count)
        for index in 0..<actions.count {
            entries.append(
                NewEntry(
                    stream: stream.id, action: try encode(actions[index]), version: program.version, dispatchID: id,
                    cancelID: cancel))
        }
        return Batch(entries: entries)
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
