/// Cancels the effects that a dispatch led to. It does not keep the store open.
final class DispatchCanceller: Sendable {
    private let store: WeakStore
    private let stream: Boxed<StreamInfo>
    private let file: String?
    private let hosts: HostRegistry

    init(_ store: any OpenStore, _ stream: JournalStream) {
        (self.store, self.stream) = (WeakStore(store), stream.opened)
        (file, hosts) = (stream.journal.file, stream.journal.hosts)
    }

    func cancel(_ step: Int) async throws(JournalError) {
        let info = stream.value
        do throws(JournalError) {
            guard let store = store.store else {
                throw ErrorLocation(file: file, stream: info.name, step: step).error(
                    .closed, "The store was released; its effects were not cancelled.",
                    advice: "Keep the store until they are, or open the stream and cancel them.")
            }
            try await store.cancelEffects(ofDispatch: step)
        } catch {
            // The host has closed the idle stream, and opens it again.
            guard error.code == .closed, let cancel = hosts.cancelling(for: info.machine) else { throw error }
            try await cancel(info.name, step)
        }
    }
}
