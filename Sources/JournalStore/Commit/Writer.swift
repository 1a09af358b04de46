import Dispatch

/// A batch that waits. An object, so that it moves through the queue as one pointer.
protocol Submission: AnyObject, Sendable {
    /// What is to be committed. Not to be changed while the writer has it.
    var batch: Batch { get }
    /// Whether there is nothing in it: then somebody waits for all that rides along.
    var isEmpty: Bool { get }

    /// Called on the thread that committed, in the order of commits, with no lock held. Must not wait. Told whether it is called
    /// from within the very call that handed the batch in.
    ///
    /// - Returns: whose turn it is now.
    func committed(_ result: Result<ArraySlice<Appended>, JournalError>, isInPlace: Bool) -> (any TurnTaker)?
}

/// The one that writes: takes batches from any thread, commits them together in the order of arrival, and tells each
/// caller what became of its own.
final class Writer: Sendable {
    /// A batch that waits, with one to be told.
    final class Told: Submission {
        let batch: Batch
        let isEmpty: Bool
        private let completion: @Sendable (Result<[Appended], JournalError>) -> Void

        init(_ batch: Batch, _ completion: @escaping @Sendable (Result<[Appended], JournalError>) -> Void) {
            self.batch = batch
            isEmpty = batch.isEmpty
            self.completion = completion
        }

        func committed(
            _ result: Result<ArraySlice<Appended>, JournalError>, isInPlace: Bool
        ) -> (any TurnTaker)? {
            completion(result.map { Array($0) })
            return nil
        }
    }

    /// What rides along.
    private final class Passenger: Submission {
        let batch: Batch
        let isEmpty = false
        private let rider: any Rider

        init?(_ leaving: RiderDesk.Leaving) {
            guard let batch = leaving.rider.take(leaving.patience) else { return nil }
            self.batch = batch
            rider = leaving.rider
        }

        func committed(
            _ result: Result<ArraySlice<Appended>, JournalError>, isInPlace: Bool
        ) -> (any TurnTaker)? {
            rider.wasWritten(result.map { _ in })
            return nil
        }
    }

    private enum Work: Sendable {
        case batch(any Submission)
        /// Something that needs the database for itself, between two transactions.
        case alone(@Sendable (inout WriterState) -> Void)

        var size: Int {
            switch self {
            case .batch(let submission): submission.batch.entries.count
            case .alone: 1
            }
        }
    }

    let file: String?
    let arrivals = Arrivals()
    /// What the writer before this one left.
    let remains: Opening.Remains
    /// Where reducers say what they are at.
    let marks: StepMarks?
    let turns: Turns
    /// Below that a transaction costs more than what goes into it.
    private static let few = 32
    private let options: Journal.Options
    private let mailbox = Lock(Mailbox<Work>())
    private let desk = Lock(RiderDesk())
    // Only the one that works holds it, so nobody ever waits for it.
    private let state: Lock<WriterState>
    private let queue: DispatchQueue?

    init(_ opened: sending Opening.Opened, options: Journal.Options) {
        file = opened.file
        remains = opened.remains
        marks = opened.sidecar?.marks
        self.options = options
        turns = Turns(options)
        queue = options.execution == .ownThread ? DispatchQueue(label: "JournalStore.writer") : nil
        state = Lock(WriterState(opened, options: options))
    }

    // MARK: Handing in

    /// Hands batches in, which keep their order and have nothing between them.
    func submit(_ submissions: [any Submission]) {
        guard mailbox.withLock({ $0.add(contentsOf: submissions.lazy.map { .batch($0) }) }) else { return }
        work(for: submissions)
    }

    func submit(_ submission: any Submission) {
        guard mailbox.withLock({ $0.add(.batch(submission)) }) else { return }
        work(for: CollectionOfOne(submission))
    }

    func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        // Resumed exactly once: each submission is answered by the one transaction that takes it.
        try await withUnsafeContinuation { continuation in
            submit(Told(batch) { continuation.resume(returning: $0) })
        }.get()
    }

    /// Runs something between two transactions, alone with the database.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (inout WriterState) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, JournalError>, Never>) in
            later { state in
                do throws(JournalError) {
                    continuation.resume(returning: .success(try body(&state)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }.get()
    }

    /// The same for callers that cannot wait, and do not want to know.
    func later(_ body: @escaping @Sendable (inout WriterState) -> Void) {
        guard mailbox.withLock({ $0.add(.alone(body)) }) else { return }
        work(for: EmptyCollection())
    }

    /// Puts something behind what waits, and behind what rides along, without doing any of it.
    ///
    /// - Returns: whether the caller has to see to it that it is done: ``workAside()``.
    func enqueue(_ body: @escaping @Sendable (inout WriterState) -> Void) -> Bool {
        let riders = Told(Batch()) { _ in }
        return mailbox.withLock { $0.add(contentsOf: [.batch(riders), .alone(body)]) }
    }

    /// Has what was enqueued done, on another thread.
    func workAside() {
        if let queue {
            queue.async { self.drain() }
        } else {
            _ = options.spawn { await self.drainOnPool() }
        }
    }

    /// For a journal in memory, whose one connection readers share.
    func reading<Value: Sendable>(
        _ body: @Sendable (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        try state.withLock { state throws(JournalError) in
            let database = try state.usable()
            return try JournalError.at(nil, "reading") { () throws(DatabaseError) in try body(database) }
        }
    }

    // MARK: Riding along

    /// Takes a rider along that has something to be written, and is not waiting already.
    func takeAlong(_ rider: any Rider, _ patience: RiderDesk.Patience) {
        if desk.withLock({ $0.add(rider, patience) }) { startTimer() }
    }

    private func startTimer() {
        _ = options.spawn { [weak self, idle = options.idleDelay, sleep = options.sleep] in
            var seen = -1
            while let delay = self?.desk.withLock({ $0.delay(idle) }) {
                try? await sleep(delay)
                switch self?.desk.withLock({ $0.ring(seen: &seen) }) {
                case .sleepAgain: continue
                case .commit: self?.submit(Told(Batch()) { _ in })
                case .stop, nil: return
                }
            }
        }
    }

    // MARK: Working

    private func work(for own: some Collection<any Submission>) {
        if let queue {
            queue.async { self.drain() }
            return
        }
        // In place: what waits at this moment, and no more. A caller that does the work of all that come after it would
        // never get its own result back.
        switch next(after: workOnce(for: own)) {
        case .nothing: break
        case .round: workAside()
        case .pause: _ = options.spawn { await self.drainOnPool(isPaused: true) }
        }
    }

    private func drain() {
        while true {
            while workOnce(for: EmptyCollection()) > 0 {}
            if case .nothing = next(after: 0) { return }
        }
    }

    private func drainOnPool(isPaused: Bool = false) async {
        var rounds = 0
        if isPaused, await !resume(hasGivenWay: true) { return }
        while true {
            switch next(after: workOnce(for: EmptyCollection())) {
            case .nothing: return
            case .round: break
            case .pause: if await !resume(hasGivenWay: false) { return }
            }
            rounds += 1
            // Threads that dispatch without a pause must not keep this one from the others of its pool.
            if rounds.isMultiple(of: 16) { await Task.yield() }
        }
    }

    private enum Next { case nothing, round, pause }

    /// What to do when a round is over. After one of several those who were answered get a turn: half of them are waited for, so that the
    /// other half get theirs while the next transaction is made; few are all waited for. One alone is not: it finds the writer
    /// idle then, and does its work itself, without a change of thread.
    private func next(after count: Int) -> Next {
        state.withLock { $0.keepShort() }
        return mailbox.withLock { mailbox in
            if count > 1 { return mailbox.pause(until: count < Self.few ? count : count / 2) ? .pause : .round }
            return mailbox.stopIfEmpty() ? .nothing : .round
        }
    }

    /// Comes back behind all that could run meanwhile, and once more where that was only those who answer.
    ///
    /// - Returns: whether there is a round to be done, and nobody else does it.
    private func resume(hasGivenWay: Bool) async -> Bool {
        for look in 1...3 {
            if look > 1 || !hasGivenWay { await Task.yield() }
            switch mailbox.withLock({ $0.resume(isLast: look == 3) }) {
            case .goOn: return true
            case .othersWork: return false
            case .nothingWaits: continue
            }
        }
        return false
    }

    /// - Parameter own: what was handed in by the caller of this.
    /// - Returns: how much there was to do.
    @discardableResult
    private func workOnce(for own: some Collection<any Submission>) -> Int {
        guard let works = mailbox.withLock({ $0.next(fitting: options.entriesPerCommit) { $0.size } }) else {
            return 0
        }
        var submissions: [any Submission] = []
        submissions.reserveCapacity(works.count)
        for work in works {
            switch work {
            case .batch(let submission):
                submissions.append(submission)
            case .alone(let body):
                commit(&submissions, own)
                state.withLock { body(&$0) }
            }
        }
        commit(&submissions, own)
        return works.count
    }

    /// One transaction: first what rides along, which follows from earlier ones, then what was handed in.
    private func commit(_ submissions: inout [any Submission], _ own: some Collection<any Submission>) {
        guard !submissions.isEmpty else { return }
        let takesAll = submissions.contains { $0.isEmpty }
        let passengers = desk.withLock { $0.take(takesAll: takesAll) }.compactMap(Passenger.init)
        let all = passengers.isEmpty ? submissions : passengers + submissions
        submissions = []
        let committed = state.withLock { $0.commit(all) }
        if let position = committed.lastPosition { arrivals.announce(position) }
        var takers: [any TurnTaker] = []
        for (index, submission) in all.enumerated() {
            let isOwn = own.contains { $0 === submission }
            if let taker = submission.committed(committed[index], isInPlace: isOwn) { takers.append(taker) }
            if index + 1 == passengers.count {
                let succeeded = committed.succeeded(upTo: passengers.count)
                desk.withLock { $0.wereWritten(succeeded) }
            }
        }
        if !takers.isEmpty { turns.add(takers) }
    }

}
