import JournalStore

/// Selects entries by origin, action and time.
struct EntryFilter: Hashable, Sendable {
    /// Empty for all.
    var origins: Set<Origin> = []
    /// The names of actions; empty for all.
    var types: Set<String> = []
    /// A text that the stored action contains.
    var text: String?
    var since: Timestamp?
    var until: Timestamp?

    func matches(_ entry: Entry) -> Bool {
        if !origins.isEmpty, !origins.contains(entry.origin) { return false }
        if let since, entry.time < since { return false }
        if let until, entry.time > until { return false }
        if let text, !EntryFilter.contains(entry.action, text) { return false }
        if !types.isEmpty {
            guard let name = ActionName.of(entry.action), types.contains(name) else { return false }
        }
        return true
    }

    /// Compares bytes, as grep does: a hundred times faster than comparing characters.
    private static func contains(_ action: String, _ text: String) -> Bool {
        var action = action
        var text = text
        return action.withUTF8 { action in text.withUTF8 { text in System.contains(action, text) } }
    }
}
