import Dispatch
import Synchronization

/// Takes submissions from any thread, commits them together in the order of arrival, and puts the results where they
/// belong.
///
/// There is no thread of its own: the submitter that finds the writer idle commits all that waits. Results go into
/// inboxes; the worker pool drains those. So no store runs on the committing thread.
final class JournalWriter: SharedConnection {
    private enum Work: Sendable {
        case submission(Submission)
        case opening(StreamOpening)
        case closing(StreamClosing)
        case message(Handover)
        /// Something that needs the database for itself, between two transactions.
        case exclusive(@Sendable (inout WriterState) -> Void)

        var size: Int {
            switch self {
            case .submission(let submission): submission.batch.entries.count
            case .opening, .closing, .message, .exclusive: 1
            }
        }
    }

    let file: String?
    let arrivals = Arrivals()
    /// What the previous writer left in the sidecar.
    let remains: Opening.Remains
    /// Where stores mark the step that they are reducing.
    let marks: StepMarks?
    let pool: WorkerPool
    /// With fewer batches than this a transaction costs more than its rows.
    private static let few = 32
    private let options: JournalOptions
    private let mailbox = Lock(Mailbox<Work>())
    private let deferred = Lock(DeferredWriteQueue())
    // Held by the thread that commits. Others wait for it only to read a journal in memory, and once for the socket.
    private let state: Lock<WriterState>
    private let ended: Flag
    private let forkGeneration = ForkGuard.generation
    private let queue: DispatchQueue?
    private let tickets = Atomic<UInt64>(0)
    /// Whether ``noteAlive()`` waits for its turn.
    private let notesAlive = Atomic(false)

    init(_ opened: sending Opening.Opened, options: JournalOptions) {
        file = opened.file
        remains = opened.remains
        marks = opened.sidecar?.marks
        self.options = options
        pool = WorkerPool(options)
        queue = options.execution == .ownThread ? DispatchQueue(label: "JournalStore.writer") : nil
        let writer = WriterState(opened, options: options)
        ended = writer.hasEnded
        state = Lock(writer)
    }

    /// Whether it writes nothing any more.
    var hasEnded: Bool { ended.isSet || forkGeneration != ForkGuard.generation }

    // MARK: Submitting

    /// Submits batches that keep their order and have no other batch between them.
    func submit(_ submissions: [Submission]) {
        let ticket = newTicket()
        for submission in submissions { submission.ticket = ticket }
        if mailbox.withLock({ $0.add(contentsOf: submissions.lazy.map { .submission($0) }) }) { work(for: ticket) }
    }

    func submit(_ submission: Submission) {
        let ticket = newTicket()
        submission.ticket = ticket
        // The worker resumes in a task, and a thread that waits here may keep all tasks from running.
        if mailbox.withLock({ $0.add(.submission(submission), canWait: !submission.blocksThread) }) {
            work(for: ticket)
        }
    }

    private func newTicket() -> UInt64 { tickets.add(1, ordering: .relaxed).newValue }

    func commit(_ batch: Batch) async throws(JournalError) -> [Appended] {
        // Resumed exactly once: one transaction takes the submission.
        try await withUnsafeContinuation { continuation in
            submit(Submission(batch) { continuation.resume(returning: $0) })
        }.get()
    }

    /// Opens a stream, and creates it if there is none. Calls at the same time share a transaction.
    func openStream(
        _ name: String, machine: String, isLog: Bool = false
    ) async throws(JournalError) -> StreamOpening.Opened {
        try await withUnsafeContinuation { continuation in
            add(
                .opening(
                    StreamOpening(name: name, machine: machine, isLog: isLog) { continuation.resume(returning: $0) }))
        }.get()
    }

    /// Closes a stream after what was submitted before. Throws if the journal is closed or cannot write.
    func closeStream(_ stream: StreamID?) async throws(JournalError) {
        try await withUnsafeContinuation { continuation in
            add(.closing(StreamClosing(stream: stream) { continuation.resume(returning: $0) }))
        }.get()
    }

    /// The same for callers that cannot wait.
    func closeStream(_ stream: StreamID?, _ done: @escaping @Sendable () -> Void) {
        add(.closing(StreamClosing(stream: stream) { _ in done() }))
    }

    private func add(_ work: Work, canWait: Bool = true) {
        if mailbox.withLock({ $0.add(work, canWait: canWait) }) { self.work(for: 0) }
    }

    /// Runs something between two transactions, alone with the database.
    func exclusively<Value: Sendable>(
        _ body: @escaping @Sendable (inout WriterState) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, JournalError>, Never>) in
            let work = Work.exclusive { state in
                continuation.resume(returning: Result { () throws(JournalError) in try body(&state) })
            }
            // Operators ask while no task can run, too, and a paused worker resumes in a task.
            add(work, canWait: false)
        }.get()
    }

    /// The same for callers that cannot wait and need no result.
    func later(_ body: @escaping @Sendable (inout WriterState) -> Void) {
        add(.exclusive(body))
    }

    /// Notes in the sidecar that the process is alive. Each of many streams asks for it: one note serves all that come
    /// before it.
    func noteAlive() {
        if notesAlive.exchange(true, ordering: .acquiringAndReleasing) { return }
        later { [self] state in
            notesAlive.store(false, ordering: .releasing)
            state.sidecar?.seen = state.options.wallClock()
        }
    }

    /// Enqueues a message to a stream that no store has open, without doing any work. Messages that wait together share
    /// a transaction.
    ///
    /// - Returns: whether the caller must call ``workElsewhere()``.
    func enqueue(_ message: Handover) -> Bool {
        mailbox.withLock { $0.add(.message(message)) }
    }

    /// Does what was enqueued on another thread.
    func workElsewhere() {
        if let queue {
            queue.async { self.drain() }
        } else {
            _ = options.spawn { await self.drainOnPool() }
        }
    }

    /// Reads through the one connection of a journal in memory.
    func reading<Value: Sendable>(
        _ body: @Sendable (JournalDatabase) throws(DatabaseError) -> Value
    ) throws(JournalError) -> Value {
        try state.withLock { state throws(JournalError) in
            let database = try state.usable()
            return try JournalError.at(nil, "reading") { () throws(DatabaseError) in try body(database) }
        }
    }

    // MARK: Operators

    /// Where to listen for operators; nil for a journal without a sidecar.
    func takeSocket() -> String? { state.withLock { $0.takeSocket() } }

    /// What the writer has done, without what a reader can count.
    func metrics() async throws(JournalError) -> JournalMetrics {
        var metrics = try await exclusively { state throws(JournalError) in try state.metrics() }
        metrics.waitingBatches = mailbox.withLock { $0.count }
        return metrics
    }

    // MARK: Deferred writes

    /// Queues a source that is not queued with this urgency already.
    func deferWrite(of source: any DeferredWriteSource, _ urgency: DeferredWriteQueue.Urgency) {
        if deferred.withLock({ $0.add(source, urgency) }) { startTimer() }
    }

    private func startTimer() {
        _ = options.spawn { [weak self, idle = options.idleDelay, sleep = options.sleep] in
            var seen = -1
            while let delay = self?.deferred.withLock({ $0.delay(idle) }) {
                try? await sleep(delay)
                switch self?.deferred.withLock({ $0.tick(seen: &seen) }) {
                case .sleepAgain: continue
                case .commit: self?.submit(Submission(after: nil) { _ in })
                case .stop, nil: return
                }
            }
        }
    }

    // MARK: Working

    /// - Parameter ticket: the call that this is done for.
    private func work(for ticket: UInt64) {
        if let queue {
            queue.async { self.drain() }
            return
        }
        // It would commit the batches of callers with a higher priority too.
        if CurrentTask.hasLowPriority { return workElsewhere() }
        // With `.inPlace`, the caller commits what waits at this moment, and no more. If it also committed all that
        // arrives after that, it might never return.
        switch next(after: workOnce(for: ticket)) {
        case .nothing: break
        case .round: workElsewhere()
        case .pause: _ = options.spawn { await self.drainOnPool(isPaused: true) }
        }
    }

    private func drain() {
        while true {
            // Also while there is always more to do: the WAL must not grow without end.
            while workOnce() > 0 { state.withLock { $0.checkpointIfDue() } }
            if case .nothing = next(after: 0) { return }
        }
    }

    private func drainOnPool(isPaused: Bool = false) async {
        var rounds = 0
        if isPaused, await !resume(hasYielded: true) { return }
        while true {
            switch next(after: workOnce()) {
            case .nothing: return
            case .round: break
            case .pause: if await !resume(hasYielded: false) { return }
            }
            rounds += 1
            // Threads that dispatch without a pause must not keep this task's thread from the other tasks of the pool.
            if rounds.isMultiple(of: 16) { await Task.yield() }
        }
    }

    private enum Next { case nothing, round, pause }

    /// Decides what to do after a round. After several batches the callers that were answered may run first, so that
    /// their next batches share a transaction: the writer waits for half of them, or for all if they are few. A lone
    /// caller finds the writer idle and commits itself, without a change of thread.
    private func next(after count: Int) -> Next {
        state.withLock { $0.checkpointIfDue() }
        return mailbox.withLock { mailbox in
            if count > 1 { return mailbox.pause(until: count < Self.few ? count : count / 2) ? .pause : .round }
            return mailbox.stopIfEmpty() ? .nothing : .round
        }
    }

    /// Goes on after the tasks that could run meanwhile, and once more if only the answering tasks ran.
    ///
    /// - Returns: whether this task does the next round; false if there is none, or another thread does it.
    private func resume(hasYielded: Bool) async -> Bool {
        for attempt in 1...3 {
            if attempt > 1 || !hasYielded { await Task.yield() }
            switch mailbox.withLock({ $0.resume(isLast: attempt == 3) }) {
            case .goOn: return true
            case .othersWork: return false
            case .nothingWaits: continue
            }
        }
        return false
    }

    /// - Parameter ticket: the call that this is done for; 0 if no caller waits for it.
    /// - Returns: how many items there were.
    @discardableResult
    private func workOnce(for ticket: UInt64 = 0) -> Int {
        guard let works = mailbox.withLock({ $0.next(fitting: options.entriesPerCommit) { $0.size } }) else { return 0 }
        var round = Round()
        round.submissions.reserveCapacity(works.count)
        for work in works {
            switch work {
            case .submission(let submission):
                if !round.messages.isEmpty { finish(&round, for: ticket) }
                round.submissions.append(submission)
            case .opening(let opening):
                // The stream may be one of those that are closed first, or have a message.
                if !round.closings.isEmpty || !round.messages.isEmpty { finish(&round, for: ticket) }
                round.openings.append(opening)
            case .closing(let closing): round.closings.append(closing)
            case .message(let message):
                if !round.closings.isEmpty { finish(&round, for: ticket) }
                round.submissions.append(message.barrier)
                round.messages.append(message)
            case .exclusive(let body):
                finish(&round, for: ticket)
                state.withLock { body(&$0) }
            }
        }
        finish(&round, for: ticket)
        return works.count
    }

    /// What is done together, in this order. No submission is for a stream that is being opened, so openings can come
    /// first.
    private struct Round {
        var openings: [StreamOpening] = []
        var submissions: [Submission] = []
        var messages: [Handover] = []
        var closings: [StreamClosing] = []
    }

    private func finish(_ round: inout Round, for ticket: UInt64) {
        if !round.openings.isEmpty { open(&round.openings) }
        commit(&round.submissions, for: ticket)
        if !round.messages.isEmpty { deliver(&round.messages) }
        if !round.closings.isEmpty { close(&round.closings) }
    }

    private func open(_ openings: inout [StreamOpening]) {
        let opened = state.withLock { $0.open(openings) }
        for (opening, result) in zip(openings, opened) { opening.reply(result) }
        openings = []
    }

    private func deliver(_ messages: inout [Handover]) {
        var free: [Handover] = []
        for message in messages {
            if let obstacle = message.obstacle { message.end(.failure(obstacle)) } else { free.append(message) }
        }
        messages = []
        let delivered = state.withLock { $0.deliver(free.map(\.delivery)) }
        if let position = delivered.newest { arrivals.announce(position) }
        for (message, result) in zip(free, delivered.results) { message.end(result) }
    }

    private func close(_ closings: inout [StreamClosing]) {
        let result = state.withLock { $0.close(closings.compactMap(\.stream)) }
        for closing in closings { closing.reply(result) }
        closings = []
    }

    /// The deferred writes that join a transaction: the urgent ones, and those that its barriers wait for.
    private func deferredWrites(for submissions: [Submission]) -> [Submission] {
        var (all, sources): (Bool, [any DeferredWriteSource]) = (false, [])
        for submission in submissions where submission.isBarrier {
            if let source = submission.barrierSource { sources.append(source) } else { all = true }
        }
        return deferred.withLock { $0.take(all: all, sources) }.compactMap { Submission($0) }
    }

    /// One transaction: first the deferred writes, which follow from earlier transactions, then what was submitted.
    private func commit(_ submissions: inout [Submission], for ticket: UInt64) {
        guard !submissions.isEmpty else { return }
        let writes = deferredWrites(for: submissions)
        let all = writes.isEmpty ? submissions : writes + submissions
        submissions = []
        let committed = state.withLock { $0.commit(all) }
        if let position = committed.lastPosition { arrivals.announce(position) }
        var idle: [any PoolClient] = []
        for (index, submission) in all.enumerated() {
            let result = committed[index]
            switch submission.destination {
            case .callback(let callback): callback(result.map { Array($0) })
            case .source(let source): source.wasWritten(result.map { _ in })
            case .inbox(let inbox):
                let isOwn = ticket != 0 && submission.ticket == ticket
                submission.result = result
                guard inbox.add(submission) else { break }
                // The submitter's own thread drains it as soon as its call returns.
                if isOwn { submission.submitterDrains = true } else { idle.append(inbox) }
            }
            if index + 1 == writes.count {
                let succeeded = committed.succeeded(upTo: writes.count)
                deferred.withLock { $0.wereWritten(succeeded) }
            }
        }
        if !idle.isEmpty { pool.schedule(idle) }
    }
}
