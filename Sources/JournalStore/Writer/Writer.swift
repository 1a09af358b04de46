import Dispatch

/// The one that writes: takes batches from any thread, commits them together in the order of arrival, and tells each
/// caller what became of its own.
final class Writer: Sendable {
    /// Called on the thread that committed, in the order of commits, with no lock held. Must not wait.
    typealias Completion = @Sendable (Result<[Appended], JournalError>) -> Void

    /// A batch that waits, with the one to be told. An object, so that it moves through the queue as one pointer.
    private final class Submission: Sendable {
        let batch: Batch
        let completion: Completion

        init(_ batch: Batch, _ completion: @escaping Completion) {
            self.batch = batch
            self.completion = completion
        }
    }

    private enum Work: Sendable {
        case batch(Submission)
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
    private let options: Journal.Options
    private let mailbox = Lock(Mailbox<Work>())
    // Only the one that works holds it, so nobody ever waits for it.
    private let state: Lock<WriterState>
    private let queue: DispatchQueue?

    init(_ opened: sending Opening.Opened, options: Journal.Options) {
        file = opened.file
        self.options = options
        queue = options.execution == .ownThread ? DispatchQueue(label: "JournalStore.writer") : nil
        state = Lock(WriterState(opened, options: options))
    }

    // MARK: Handing in

    func submit(_ batch: Batch, completion: @escaping Completion) {
        submit(.batch(Submission(batch, completion)))
    }

    func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        // Resumed exactly once: each submission is answered by the one transaction that takes it.
        try await withUnsafeContinuation { continuation in
            submit(batch) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Runs something between two transactions, alone with the database.
    func alone<Value: Sendable>(
        _ body: @escaping @Sendable (inout WriterState) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, JournalError>, Never>) in
            submit(
                .alone { state in
                    do throws(JournalError) {
                        continuation.resume(returning: .success(try body(&state)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                })
        }.get()
    }

    /// The same for callers that cannot wait, and do not want to know.
    func later(_ body: @escaping @Sendable (inout WriterState) -> Void) {
        submit(.alone(body))
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

    // MARK: Working

    private func submit(_ work: Work) {
        guard mailbox.withLock({ $0.add(work) }) else { return }
        if let queue {
            queue.async { self.drain() }
            return
        }
        // In place: what waits at this moment, and no more. A caller that does the work of all that come after it would
        // never get its own result back.
        workOnce()
        if !isDone() { Task.detached { await self.drainOnPool() } }
    }

    private func drain() {
        repeat { while workOnce() {} } while !isDone()
    }

    /// Between two transactions those who were answered get a turn: what they hand in next goes into the same transaction.
    private func drainOnPool() async {
        repeat {
            while workOnce() { await Task.yield() }
        } while !isDone()
    }

    /// - Returns: whether there was anything to do.
    @discardableResult
    private func workOnce() -> Bool {
        guard let works = mailbox.withLock({ $0.next(fitting: options.entriesPerCommit) { $0.size } }) else {
            return false
        }
        var submissions: [Submission] = []
        submissions.reserveCapacity(works.count)
        for work in works {
            switch work {
            case .batch(let submission):
                submissions.append(submission)
            case .alone(let body):
                commit(&submissions)
                state.withLock { body(&$0) }
            }
        }
        commit(&submissions)
        return true
    }

    private func commit(_ submissions: inout [Submission]) {
        guard !submissions.isEmpty else { return }
        let committed = state.withLock { [submissions] in $0.commit(submissions.count) { submissions[$0].batch } }
        if let position = committed.lastPosition { arrivals.announce(position) }
        for (result, submission) in zip(committed.results, submissions) { submission.completion(result) }
        submissions = []
    }

    /// The checkpoint comes when nobody waits for an answer.
    private func isDone() -> Bool {
        if state.withLock({ $0.checkpointIsDue }) { state.withLock { $0.checkpoint() } }
        return mailbox.withLock { $0.stopIfEmpty() }
    }
}
