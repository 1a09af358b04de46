/// Where dispatches come in, and what effects send.
///
/// `@unchecked`: its parts are touched only while the lock is held. They stand beside it, as what depends on the machine would make
/// each use of the lock slow.
final class Entrance<Dispatch: Sendable, Send: Sendable>: @unchecked Sendable {
    private let lock = Lock(())
    var lane = Lane<Dispatch, Send>()
    /// Why nothing comes in any more.
    var refusal: JournalError?
    var isClosed: Bool { if case .some = refusal { true } else { false } }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (Entrance) -> Result) -> Result {
        lock.withLock { _ in body(self) }
    }
}
