import Dispatch

// Reading the state, which a reducer may be changing at that moment.

extension StoreEngine {
    /// The state after the newest reduced step, and that step.
    ///
    /// Waits while a reducer changes the state. If that takes long, or if it is the reducer that reads, the state is
    /// computed again from the journal, unless the reducer returns before that. The engine then keeps a second state, so
    /// that no reader has to wait again.
    var newestState: (state: State, step: Int) {
        let newest = broadcast.newest
        if let state = newest.state { return (state, newest.step) }
        return awaitedState()
    }

    /// Outlined: its variables of types that depend on the machine take time at its beginning.
    @inline(never)
    private func awaitedState() -> (state: State, step: Int) {
        while true {
            var newest = broadcast.newest
            if let state = newest.state { return (state, newest.step) }
            // An earlier step's reducer, called for the computation, reads the state too: computing would not end.
            let isComputing = StateComputation.engine == ObjectIdentifier(self)
            var reader: StateReader?
            defer { if let reader { broadcast.remove(reader) } }
            if !isDrainingHere {
                let added: StateReader
                switch broadcast.addReader() {
                case .state(let state, let step): return (state, step)
                case .reader(let new): added = new
                }
                reader = added
                if let found = broadcast.state(for: added, waiting: .milliseconds(10)) { return found }
                broadcast.demand()
                newest = broadcast.newest
                if let state = newest.state { return (state, newest.step) }
                if isComputing {
                    if let remains = broadcast.remains { return (remains, newest.step) }
                    continue
                }
            }
            do throws(JournalError) {
                if isComputing { throw location.at(newest.step).readsItself }
                let result = StateComputation.$engine.withValue(ObjectIdentifier(self)) {
                    Result { () throws(JournalError) in
                        try self.state(at: newest.step) { [reader] in reader.flatMap { broadcast.state(for: $0) } }
                    }
                }
                let (state, step) = try result.get()
                if step != newest.step { return (state, step) }
                // Computed with a reducer that got another state than it had then.
                if isDrainingHere, failedRead != nil { return (state, newest.step) }
                broadcast.replace(with: state, at: newest.step)
                // Also if later steps were reduced meanwhile: it was the newest state during this call.
                return (state, newest.step)
            } catch {
                if let remains = broadcast.remains { return (remains, newest.step) }
                // The reducer would wait for itself. Whatever it does with another state is not kept.
                if isDrainingHere {
                    failedRead = Boxed(error)
                    return (program.initialState, newest.step)
                }
            }
        }
    }

    /// Computes the state after a reduced step again.
    ///
    /// - Parameter published: asked after each step for a newer state, which is the result then.
    func state(
        at step: Int, unless published: () -> (state: State, step: Int)? = { nil }
    ) throws(JournalError) -> (state: State, step: Int) {
        var fold = try fold(atOrBefore: step)
        while fold.step < step {
            if let newer = published() { return newer }
            guard try fold.pass(towards: step) else { throw fold.noStep(step) }
        }
        return (fold.state, step)
    }

    /// A fold of this store's stream that begins where the opening's could: across bases if the app allowed that.
    func fold(atOrBefore step: Int) throws(JournalError) -> Fold<Action, State> {
        try Fold(
            program, stream.journal.reader, info, atOrBefore: step, crossingBases: crossesBases,
            decisions: broadcast.decisions)
    }

    /// The current state, then each later one. A listener that falls behind gets only the newest of those that wait.
    func states(buffering count: Int) -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(max(1, count))) { continuation in
            while !broadcast.add(continuation) {
                // The state is missing for a moment at each step.
                broadcast.demand()
                let state = newestState.state
                // In a reducer whose store cannot be read there is none before it returns.
                if broadcast.hasLostState || isDrainingHere && failedRead != nil {
                    continuation.yield(state)
                    return continuation.finish()
                }
            }
        }
    }
}

/// The engine whose state this thread computes. Not nested in a generic type, which cannot have static properties.
private enum StateComputation {
    @TaskLocal static var engine: ObjectIdentifier?
}

extension ErrorLocation {
    fileprivate var readsItself: JournalError {
        error(
            .reentrant, "The reducer has read the state of its own store, and so it did at an earlier step.",
            advice: "Let the reducer use only the state that it gets.")
    }
}
