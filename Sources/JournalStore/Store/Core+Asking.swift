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
