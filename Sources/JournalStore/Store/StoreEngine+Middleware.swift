extension StoreEngine {
    /// Calls a machine's middleware for each step after one, in order, until the store ends.
    ///
    /// It reads the steps from the journal: a slow function misses nothing but steps that were pruned meanwhile, needs no
    /// buffer, and holds up no dispatch.
    ///
    /// - Returns: the task that calls it; nil if there is no middleware.
    func start(_ middleware: [Middleware<Action, State>], after step: Int) -> Task<Void, Never>? {
        if middleware.isEmpty { return nil }
        middlewareStep = step
        let (options, location, id, stream, reader) = (
            options, location, ObjectIdentifier(self), stream.name, stream.journal.reader
        )
        let journal = ObjectIdentifier(self.stream.journal)
        // Weak: the engine keeps the task.
        let called: @Sendable (Int) -> Void = { [weak self] in self?.middlewareStep = $0 }
        let hasEnded: @Sendable () -> Bool = { [weak self] in self?.isClosed ?? true }
        let steps: @Sendable (Int) -> TransitionSequence<Action, State>.Iterator? = { [weak self] start in
            self.map { TransitionSequence(engine: $0, start: start, keepsOpen: false).makeAsyncIterator() }
        }
        let first = TransitionSequence(engine: self, start: step + 1, keepsOpen: false)
        return options.spawn {
            var iterator: TransitionSequence<Action, State>.Iterator? = first.makeAsyncIterator()
            var last = step
            var told: Set<JournalError.Code> = []
            while iterator != nil {
                do throws(JournalError) {
                    while let step = try await iterator?.nextStep() {
                        // A skipped step that cannot be decoded is left out, but the middleware is not behind then.
                        if case .success(let transition) = step.transition {
                            for function in middleware {
                                do {
                                    try await MiddlewareCall.of(id, in: journal, stream: stream, hasEnded: hasEnded) {
                                        try await function.call(transition)
                                    }
                                } catch {
                                    let what = "The machine's middleware has thrown \(StoredName.of(type(of: error)))."
                                    options.notify(
                                        .middlewareFailed, location.at(step.number).error(.middlewareFailed, what))
                                }
                            }
                        }
                        last = step.number
                        called(last)
                        told = []
                    }
                    return
                } catch {
                    if error.isRetryable, !hasEnded() {
                        // Once, and not for each time it is tried again.
                        if told.insert(error.code).inserted { options.notify(.middlewareFailed, error) }
                        if (try? await options.sleep(.seconds(1))) != nil { continue }
                    }
                    guard error.code == .noUsableSnapshot, let pruned = try? reader.stream(stream).prunedStep,
                        pruned > last, let next = steps(pruned + 1)
                    else {
                        // It is called for no further step: a closing need not wait for it.
                        called(.max)
                        return options.notify(.middlewareFailed, error)
                    }
                    options.notify(.middlewareFailed, location.at(last + 1).prunedBeforeMiddleware(upTo: pruned))
                    (iterator, last) = (next, pruned)
                    called(last)
                }
            }
        }
    }

    /// Waits until the middleware was called for each step, once the store has ended. A call of middleware that closes
    /// its own store does not wait for itself.
    func finishMiddleware() async {
        guard let middleware, MiddlewareCall.store != ObjectIdentifier(self) else { return }
        await middleware.value
    }
}

extension ErrorLocation {
    fileprivate func prunedBeforeMiddleware(upTo pruned: Int) -> JournalError {
        error(
            .middlewareFailed,
            "The entries up to step \(pruned) were pruned before the machine's middleware was called for them.",
            advice: "It is called for the later ones. Keep more entries, or let the middleware return sooner.")
    }
}
