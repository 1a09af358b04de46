/// A message that the writer appends to a stream that no store has open, after the sender's earlier records.
final class Handover: Sendable {
    /// What became of a message.
    enum Arrival: Sendable {
        /// The message was appended.
        ///
        /// - Parameter isLog: whether the stream is open without a store.
        case new(isLog: Bool)
        /// That was done before.
        case repeated
    }

    let delivery: Delivery
    /// Called on the committing thread, with no lock held.
    private let done: @Sendable (Result<Arrival, JournalError>) -> Void
    /// The result of the transaction that takes the earlier records.
    private let earlier = Lock<Result<Void, JournalError>>(.success(()))

    init(_ delivery: Delivery, _ done: @escaping @Sendable (Result<Arrival, JournalError>) -> Void) {
        (self.delivery, self.done) = (delivery, done)
    }

    /// Waits for the sender's earlier records.
    var barrier: Submission {
        Submission(after: delivery.earlierRecords) { [self] result in earlier.withLock { $0 = result.map { _ in } } }
    }

    /// Why the message must not be appended now: the earlier records could not be written yet, and must not come after
    /// the record that is committed with it. After an error that is not transient, the transaction refuses that record
    /// itself.
    var obstacle: JournalError? {
        guard case .failure(let error) = earlier.withLock({ $0 }), error.isTransient else { return nil }
        return error
    }

    func end(_ result: Result<Arrival, JournalError>) { done(result) }
}
