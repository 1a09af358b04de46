/// What a journal and its writer ask of a store that is open, whatever its machine.
protocol OpenStore: AnyObject, Sendable {
    /// The name of its machine.
    var machine: String { get }
    /// Whether its machine has middleware. The end of the store waits for it.
    var hasMiddleware: Bool { get }
    /// Whether its stream is not closed.
    var hasStream: Bool { get }
    /// Refuses calls from now on, and those that wait for a state. Must not wait.
    func beginClosing()
    /// Whether a body has started since it was opened.
    var hasStartedBodies: Bool { get }
    /// Refuses calls from now on, and cuts off the bodies. What else waits for the store waits until it is closed.
    func stopBodies() async
    /// - Returns: why its last records could not be written.
    func closeWithJournal() async -> JournalError?
    /// Cancels the effects that a dispatch led to, by its step. Returns once that is committed.
    func cancelEffects(ofDispatch step: Int) async throws(JournalError)
    /// Carries out an act on an effect. Returns once it is committed.
    func intervene(_ act: Intervention.Act, _ run: RunKey, _ remarks: Intervention.Remarks) async throws(JournalError)
    /// Takes a message of another machine. Must not wait.
    func take(_ delivery: Delivery)
    /// The number of changes of records that are on the disk, or why they could not be written. Must not wait.
    func wereWritten(_ changes: Result<Int, JournalError>)
}

/// A reference to a store that does not keep it open.
struct WeakStore: Sendable {
    private(set) weak var store: (any OpenStore)?

    init(_ store: any OpenStore) { self.store = store }
}
