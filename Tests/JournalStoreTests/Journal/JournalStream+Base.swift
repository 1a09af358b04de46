@testable import JournalStore

extension JournalStream {
    /// Stores a snapshot, perhaps a base, as a store of a new version does.
    func saveSnapshot(_ state: String, at step: Int, isBase: Bool) async throws(JournalError) {
        try await save(NewSnapshot(stream: id, step: step, version: 1, isBase: isBase, state: state))
    }
}
