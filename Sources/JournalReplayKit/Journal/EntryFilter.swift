import JournalStore

/// Selects entries by origin, action, time and outcome.
struct EntryFilter: Hashable, Sendable {
    /// Empty for all.
    var origins: Set<Origin> = []
    /// The names of actions; empty for all.
    var names: Set<ByteName> = []
    /// The outcomes of steps, nil for one that is not recorded yet; empty for all.
    var outcomes: Set<StepRecord.Outcome?> = []
    /// A text that the stored action contains.
    var text: String?
    var since: Timestamp?
    var until: Timestamp?

    /// The matching entries of a page, with the outcomes of their steps.
    func select(
        _ page: [Entry], _ reader: JournalReader, _ unreadable: inout Unreadable
    ) throws(JournalError) -> [EntryRow] {
        let entries = page.filter(matches)
        return zip(entries, try reader.outcomes(of: entries, &unreadable)).lazy
            .filter { _, outcome in outcomes.isEmpty || outcome.map { outcomes.contains($0.outcome) } ?? false }
            .map { EntryRow($0, $1 ?? .unreadable) }
    }

    /// Whether everything but the outcome matches.
    func matches(_ entry: Entry) -> Bool {
        if !origins.isEmpty, !origins.contains(entry.origin) { return false }
        if let since, entry.time < since { return false }
        if let until, entry.time > until { return false }
        if let text, !TextSearch.contains(entry.action, text) { return false }
        if !names.isEmpty {
            // The quick look first: the beginning of an action that is not JSON can look like a name.
            guard let name = ActionName.of(entry.action), names.contains(ByteName(name)),
                EntryRow.name(of: entry.action) != nil
            else { return false }
        }
        return true
    }
}
