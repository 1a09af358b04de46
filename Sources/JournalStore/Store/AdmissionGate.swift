/// Admits dispatches and actions of effects to the journal, in the order that an ``AdmissionQueue`` gives; refuses them
/// after the end.
///
/// `@unchecked`: its parts are used only while the lock is held. They are stored next to it, because a lock over a
/// value whose layout depends on the machine is slow.
final class AdmissionGate<Dispatch: Sendable, Send: Sendable>: @unchecked Sendable {
    private let lock = Lock(())
    var queue = AdmissionQueue<Dispatch, Send>()
    /// Why nothing is admitted any more.
    var refusal: JournalError? {
        get { boxedRefusal?.value }
        set { boxedRefusal = newValue.map { Boxed($0) } }
    }
    private var boxedRefusal: Boxed<JournalError>?
    var isClosed: Bool { boxedRefusal != nil }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: (AdmissionGate) -> Result) -> Result {
        lock.withLock { _ in body(self) }
    }
}
