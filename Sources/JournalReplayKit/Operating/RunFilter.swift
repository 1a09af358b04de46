import JournalStore

/// Selects effects by name, status and age.
struct RunFilter: Sendable {
    /// Empty for all.
    var names: Set<String> = []
    /// The requested statuses; nil if none was requested.
    var statuses: Set<EffectRun.Status>?
    /// Only effects whose step was committed before this time.
    var before: Timestamp?

    /// Whether nothing was requested.
    var isEmpty: Bool { names.isEmpty && statuses == nil && before == nil }

    /// - Parameter isAll: Whether effects with any status are wanted if no status is given.
    init(_ arguments: Arguments, isAll: Bool = false) throws(UsageError) {
        names = Set(arguments.all(RunFilter.name))
        let given = arguments.all(RunFilter.status).flatMap(\.self)
        if isAll, !given.isEmpty { throw UsageError("'--all' and '--status' exclude each other.") }
        statuses = isAll ? Set(EffectRun.Status.allCases) : given.isEmpty ? nil : Set(given)
        if let span = arguments[RunFilter.age] {
            guard let time = span.before(.now()) else { throw UsageError("'--older-than' is too long ago.") }
            before = time
        }
    }

    /// Passes the matching effects to `visit`, page by page.
    ///
    /// - Parameters:
    ///   - stream: The only stream; nil for all.
    ///   - usual: The statuses to select if none was requested.
    /// - Returns: The names that were seen, for a suggestion.
    @discardableResult
    func forEach(
        of stream: String?, usual: Set<EffectRun.Status>, _ reader: JournalReader,
        _ visit: ([ListedRun]) throws -> Void
    ) throws -> Set<String> {
        let wanted = statuses ?? usual
        var seen: Set<String> = []
        try reader.forEachEffect(of: stream, isLive: wanted.isSubset(of: .live)) { page in
            seen.formUnion(page.map(\.run.name))
            let found = page.filter { matches($0, wanted) }
            if !found.isEmpty { try visit(found) }
        }
        return seen
    }

    private func matches(_ listed: ListedRun, _ wanted: Set<EffectRun.Status>) -> Bool {
        guard wanted.contains(listed.run.status), names.isEmpty || names.contains(listed.run.name) else { return false }
        guard let before else { return true }
        // If its entry was pruned, the step is older than anything that is left.
        return listed.committed.map { $0 < before } ?? true
    }

    /// What to say if no effect matches.
    func remark(seen: Set<String>) -> String {
        let near = names.lazy.filter { !seen.contains($0) }.compactMap { Suggestion.closest(to: $0, among: seen) }.first
        return "No effect matches." + (near.map { " Did you mean --name '\($0)'?" } ?? "")
    }

    static let options: [any OptionRow] = [name, status, age]

    private static let name = Option<String>.text(
        "name", "NAME", help: "Only effects with this name. May be given several times.")
    private static let status = Option<[EffectRun.Status]>.word(
        "status", "STATUS",
        help: "Only effects with this status; live selects all that have not ended. May be given several times.",
        [("live", EffectRun.Status.allCases.filter { !$0.isFinal })]
            + EffectRun.Status.allCases.map { ($0.rawValue, [$0]) })
    private static let age = Option<Span>(
        "older-than", "SPAN", help: "Only effects whose step was committed longer ago than this, such as 10m or 2h.",
        expected: Span.examples
    ) { Span($0) }
}
