/// The steps of a stream in order, each exactly once: first those in the journal, then each new one.
///
/// All of them are read from the journal and folded, so a slow consumer misses nothing and needs no buffer. Only a
/// skipped step whose action cannot be decoded is left out.
public struct TransitionSequence<Action: Sendable, State: Sendable>: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = Transition<Action, State>
    /// Thrown if an entry cannot be read.
    public typealias Failure = JournalError

    private let engine: StoreEngine<Action, State>
    private let start: Int
    /// Keeps the stream open, if it is one of a host.
    private let follower: StateBroadcast<State>.Follower?

    /// - Parameter keepsOpen: whether a host keeps the stream open for it. Not for what a closing waits for.
    init(engine: StoreEngine<Action, State>, start: Int, keepsOpen: Bool = true) {
        (self.engine, self.start) = (engine, start)
        follower = keepsOpen ? StateBroadcast.Follower(engine.broadcast) : nil
    }

    /// Makes an iterator that begins with the first step of the sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(engine: engine, start: start, follower)
    }

    /// Iterates over the steps.
    public struct Iterator: AsyncIteratorProtocol {
        private let broadcast: StateBroadcast<State>
        private let follower: StateBroadcast<State>.Follower?
        private let program: Program<Action, State>
        private let location: ErrorLocation
        private let makeFold: @Sendable () throws(JournalError) -> Fold<Action, State>
        private var fold: Fold<Action, State>?
        private let start: Int
        /// The newest step that the store is known to have reduced.
        private var known = 0

        init(engine: StoreEngine<Action, State>, start: Int, _ follower: StateBroadcast<State>.Follower?) {
            broadcast = engine.broadcast
            (self.start, self.follower) = (start, follower)
            let (program, reader, info) = (engine.program, engine.stream.journal.reader, engine.info)
            (self.program, location) = (program, engine.location)
            // Does not keep the engine, so that a store that nobody holds can end.
            makeFold = { [broadcast, crossesBases = engine.crossesBases] () throws(JournalError) in
                do throws(JournalError) {
                    var fold = try Fold(
                        program, reader, info, atOrBefore: start - 1, crossingBases: crossesBases,
                        decisions: broadcast.decisions)
                    try fold.advance(to: start - 1)
                    return fold
                } catch {
                    throw error.asked(before: start, in: info)
                }
            }
        }

        /// Waits until the next step is reduced; nil if the store has ended or the task was cancelled.
        public mutating func next() async throws(JournalError) -> Element? {
            try await next(isolation: nil)
        }

        /// Waits until the next step is reduced; nil if the store has ended or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(JournalError) -> Element? {
            while let step = try await nextStep(isolation: actor) {
                if case .success(let transition) = step.transition { return transition }
            }
            return nil
        }

        /// Waits until the next step is reduced, also if it is one that is left out: then it has the reason.
        mutating func nextStep(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(JournalError) -> (number: Int, transition: Result<Element, JournalError>)? {
            if Task.isCancelled { return nil }
            // A fold cannot begin after the end: wait for the first step.
            if fold == nil, known < start {
                guard let newest = await broadcast.wait(after: start - 1) else { return nil }
                known = newest
            }
            // Moved out and not copied: the state of a fold with two owners is copied at each step.
            var fold = if let fold = self.fold.take() { fold } else { try makeFold() }
            defer { self.fold = fold }
            // Not before the store has reduced it: the sequence must not be ahead of `Store.state`.
            if known <= fold.step {
                guard let newest = await broadcast.wait(after: fold.step) else { return nil }
                known = newest
            }
            var next = try fold.nextWithBefore()
            if next == nil {
                try fold.learn(broadcast.decisions)
                next = try fold.nextWithBefore()
            }
            guard let (before, step) = next else { return nil }
            let transition: Result<Element, JournalError>
            do throws(JournalError) {
                let action = try program.action(of: step, location)
                transition = .success(Transition(step, action, from: before, to: fold.state))
            } catch {
                transition = .failure(error)
            }
            return (step.entry.step, transition)
        }
    }
}
