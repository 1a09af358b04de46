import JournalStore
import Observation

/// The life of the app: its journal is opened in the background, because its machine may have to be replayed.
@MainActor @Observable final class Opening {
    enum Phase {
        case opening
        case open(GroceryModel)
        case failed(String)
    }

    private(set) var phase = Phase.opening
    private let path: String
    private var journal: Journal?

    init(path: String) {
        self.path = path
    }

    func open() async {
        guard journal == nil else { return }
        do {
            let journal = try Journal(path: path)
            self.journal = journal
            phase = .open(GroceryModel(try await journal.open(groceries, stream: "groceries")))
        } catch {
            // So that the next call tries again.
            journal = nil
            phase = .failed("\(error)")
        }
    }

    /// Not needed to keep what was done: an app that is killed loses nothing.
    func close() async throws {
        try await journal?.close()
    }
}
