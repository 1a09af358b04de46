extension StoreEngine {
    /// Calls a machine's middleware for each step after one, in order, until the store ends.
    ///
    /// It reads the steps from the journal: a slow function misses nothing, needs no buffer, and holds up no dispatch.
    func start(_ middleware: [Middleware<Action, State>], after step: Int) {
        if middleware.isEmpty { return }
        let steps = TransitionSequence(engine: self, start: step + 1)
        let (options, location) = (options, location)
        _ = options.spawn {
            do throws(JournalError) {
                for try await step in steps {
                    for function in middleware {
                        do { try await function.call(step) } catch {
                            let what = "The machine's middleware has thrown \(StoredName.of(type(of: error)))."
                            options.notify(.middlewareFailed, location.at(step.step).error(.middlewareFailed, what))
                        }
                    }
                }
            } catch {
                options.notify(.middlewareFailed, error)
            }
        }
    }
}
