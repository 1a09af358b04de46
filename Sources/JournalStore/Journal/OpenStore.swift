/// What a journal and its writer ask of a store that is open, whatever its machine.
protocol OpenStore: AnyObject, Sendable {
    func closeWithJournal() async
    /// Carries out an act on an effect. Returns once it is committed.
    func intervene(_ act: Intervention.Act, _ run: RunKey, _ remarks: Intervention.Remarks) async throws(JournalError)
    /// Takes a message of another machine. Must not wait.
    func take(_ delivery: Delivery)
    /// So many changes of records are on the disk, or could not be written. Must not wait.
    func wereWritten(_ changes: Result<Int, JournalError>)
}

/// A store that whoever refers to it here does not keep open.
struct WeakStore: Sendable {
    weak let store: (any OpenStore)?

    init(_ store: any OpenStore) { self.store = store }
}
