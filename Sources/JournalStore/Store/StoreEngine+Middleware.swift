extension StoreEngine {
    /// Calls a machine's middleware for each step after one, in order, until the store ends.
    ///
    /// It reads the steps from the journal: a slow function misses nothing, needs no buffer, and holds up no dispatch.
    ///
    /// - Returns: the task that calls it; nil if there is no middleware.
    func start(_ middleware: [Middleware<Action, State>], after step: Int) -> Task<Void, Never>? {
        if middleware.isEmpty { return nil }
        let steps = TransitionSequence(engine: self, start: step + 1, keepsOpen: false)
        middlewareStep = step
        let (options, location, id, stream) = (options, location, ObjectIdentifier(self), stream.name)
        // Weak: the engine keeps the task.
        let called: @Sendable (Int) -> Void = { [weak self] in self?.middlewareStep = $0 }
        let hasEnded: @Sendable () -> Bool = { [weak self] in self?.isClosed ?? true }
        return options.spawn {
            do throws(JournalError) {
                var iterator = steps.makeAsyncIterator()
                while let step = try await iterator.nextStep() {
                    // A skipped step that cannot be decoded is left out, but the middleware is not behind then.
                    if case .success(let transition) = step.transition {
                        for function in middleware {
                            do {
                                try await MiddlewareCall.of(id, stream: stream, hasEnded: hasEnded) {
                                    try await function.call(transition)
                                }
                            } catch {
                                let what = "The machine's middleware has thrown \(StoredName.of(type(of: error)))."
                                options.notify(
                                    .middlewareFailed, location.at(step.number).error(.middlewareFailed, what))
                            }
                        }
                    }
                    called(step.number)
                }
            } catch {
                // It is called for no further step: a closing need not wait for it.
                called(.max)
                options.notify(.middlewareFailed, error)
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
