/// One thing in an inbox. Only the inbox's owner, which made it, knows more about it.
///
/// `@unchecked`: what a subclass adds is constant, or has one owner at a time, as the subclass says.
class InboxItem: @unchecked Sendable {
    let isSubmission: Bool

    init(isSubmission: Bool = false) {
        self.isSubmission = isSubmission
    }
}

/// A queue of items that the worker pool drains.
protocol Inbox: PoolClient {
    /// Adds an item, and does no work.
    ///
    /// - Returns: whether the caller has to schedule the inbox: it is not being drained.
    func add(_ item: InboxItem) -> Bool
}

/// A batch on its way through the writer, and its result.
///
/// `@unchecked`: it has one owner at a time: the submitter until it submits, the writer until it has put the result in,
/// then the destination.
class Submission: InboxItem, @unchecked Sendable {
    enum Destination: Sendable {
        /// A callback on the committing thread, in the order of commits, with no lock held. It must not wait.
        case callback(@Sendable (Result<[Appended], JournalError>) -> Void)
        /// An inbox that the submission is added to.
        case inbox(any Inbox)
        /// The source that the batch was taken from.
        case source(any DeferredWriteSource)
    }

    final var batch: Batch
    final let destination: Destination
    /// It has nothing to write itself: it waits until deferred writes are done.
    final let isBarrier: Bool
    /// Whether it has records that were taken from a source. They come before other batches.
    final var isOfSource: Bool { if case .source = destination { true } else { false } }
    /// For a barrier: the source whose deferred writes it waits for; nil if it waits for all.
    final let barrierSource: (any DeferredWriteSource)?
    /// The call that submitted it; 0 if no caller waits for it.
    final var ticket: UInt64 = 0
    /// The submitter's thread waits for it, and may keep all tasks from running meanwhile.
    final var blocksThread = false
    /// The submitter has to drain the inbox when its call returns.
    final var submitterDrains = false
    final var result: Result<ArraySlice<Appended>, JournalError> = .success([])

    init(_ batch: Batch, _ destination: Destination, after source: (any DeferredWriteSource)? = nil) {
        (self.batch, self.destination, isBarrier) = (batch, destination, batch.isEmpty)
        barrierSource = source
        super.init(isSubmission: true)
    }

    /// A batch with a callback.
    convenience init(_ batch: Batch, _ callback: @escaping @Sendable (Result<[Appended], JournalError>) -> Void) {
        self.init(batch, .callback(callback))
    }

    /// A barrier with a callback.
    ///
    /// - Parameter source: the source whose deferred writes it waits for; nil if it waits for all.
    convenience init(
        after source: (any DeferredWriteSource)?,
        _ callback: @escaping @Sendable (Result<[Appended], JournalError>) -> Void
    ) {
        self.init(Batch(), .callback(callback), after: source)
    }

    /// What a source has to write now; nil if there is nothing.
    convenience init?(_ taken: DeferredWriteQueue.Taken) {
        guard let batch = taken.source.take(taken.urgency) else { return nil }
        self.init(batch, .source(taken.source))
    }
}
