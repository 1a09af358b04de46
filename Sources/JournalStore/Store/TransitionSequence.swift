/// The steps of a machine from one on: first those of the past, then each new one, without a gap or a double.
///
/// The past is folded anew from the journal, and so is the present: a listener that is slow misses nothing and costs no memory.
public struct TransitionSequence<Action: Sendable, State: Sendable>: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Transition<Action, State>
    /// How it fails: an entry cannot be read.
    public typealias Failure = JournalError

    let engine: StoreEngine<Action, State>
    let start: Int

    /// Begins with the first step.
    public func makeAsyncIterator() -> Iterator {
        Iterator(engine: engine, start: start)
    }

    /// Goes through the steps.
    public struct Iterator: AsyncIteratorProtocol {
        private let broadcast: StateBroadcast<State>
        private let makeFold: @Sendable () throws(JournalError) -> Fold<Action, State>
        private var fold: Fold<Action, State>?
        private let start: Int
        /// The newest step that the store is known to have reduced.
        private var known = 0

        init(engine: StoreEngine<Action, State>, start: Int) {
            broadcast = engine.broadcast
            self.start = start
            let (program, reader, info) = (engine.program, engine.stream.journal.reader, engine.info)
            makeFold = { () throws(JournalError) in
                var fold = try Fold(program, reader, info, atOrBefore: start - 1)
                try fold.advance(to: start - 1)
                return fold
            }
        }

        /// The next step, as soon as it is reduced; nil when the store has ended, or the task was cancelled.
        public mutating func next() async throws(JournalError) -> Element? {
            try await next(isolation: nil)
        }

        /// The next step, as soon as it is reduced; nil when the store has ended, or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(JournalError) -> Element? {
            if Task.isCancelled { return nil }
            // A fold cannot begin after the end: wait for the first step.
            if fold == nil, known < start {
                guard let newest = await broadcast.wait(after: start - 1) else { return nil }
                known = newest
            }
            var fold = if let fold { fold } else { try makeFold() }
            defer { self.fold = fold }
            // Not before the store has reduced it: nobody is told of a state that the store does not show yet.
            if known <= fold.step {
                guard let newest = await broadcast.wait(after: fold.step) else { return nil }
                known = newest
            }
            guard let step = try fold.next() else { return nil }
            return Transition(
                step.action, step.reduction, step: step.entry.step, time: step.entry.time, origin: step.entry.origin,
                from: step.before, to: fold.state)
        }
    }
}
