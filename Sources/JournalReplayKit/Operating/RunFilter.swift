import JournalStore

/// Selects effects by name, status and age.
struct RunFilter: Sendable {
    /// Empty for all.
    var names: Set<ByteName> = []
    /// The requested statuses; nil if none was requested.
    var statuses: Set<EffectRun.Status>?
    /// Only effects whose step was committed before this time.
    var before: Timestamp?
    /// Only effects whose step was committed at this time or later.
    var since: Timestamp?

    /// Whether nothing was requested.
    var isEmpty: Bool { names.isEmpty && statuses == nil && before == nil && since == nil }

    /// - Parameter isAll: Whether effects with any status are wanted if no status is given.
    init(_ arguments: Arguments, isAll: Bool = false) throws(UsageError) {
        names = Set(arguments.all(RunFilter.name).map { ByteName($0) })
        let given = arguments.all(RunFilter.status).flatMap(\.self)
        statuses = !given.isEmpty ? Set(given) : isAll ? Set(EffectRun.Status.allCases) : nil
        let now = Timestamp.now()
        before = try RunFilter.limit(RunFilter.leastAge, arguments, now)
        since = try RunFilter.limit(RunFilter.greatestAge, arguments, now)
        if let before, let since, before <= since {
            func given(_ age: Option<Span>) -> String { "\(arguments.options[age.name]?.last ?? "") ('--\(age.name)')" }
            let (least, greatest) = (given(RunFilter.leastAge), given(RunFilter.greatestAge))
            throw UsageError("No effect can be older than \(least) and newer than \(greatest).")
        }
    }

    private static func limit(
        _ age: Option<Span>, _ arguments: Arguments, _ now: Timestamp
    ) throws(UsageError) -> Timestamp? {
        guard let span = arguments[age] else { return nil }
        guard let time = span.before(now) else { throw UsageError("'--\(age.name)' is too long ago.") }
        return time
    }

    /// Passes the matching effects to `visit`, page by page.
    ///
    /// - Parameters:
    ///   - stream: The only stream; nil for all.
    ///   - usual: The statuses to select if none was requested.
    ///   - damaged: Gets the error of each effect that cannot be read; by default it ends the visit.
    func forEach(
        of stream: String?, usual: Set<EffectRun.Status>, _ reader: JournalReader,
        damaged: (JournalError) throws -> Void = { throw $0 }, _ visit: ([ListedRun]) throws -> Void
    ) throws {
        try reader.forEachEffect(of: stream, with: statuses ?? usual, named: names.map(\.name), damaged: damaged) {
            page in
            let found = page.filter { hasAge($0) }
            if !found.isEmpty { try visit(found) }
        }
    }

    private func hasAge(_ listed: ListedRun) -> Bool {
        // If its entry was pruned, what is left of its age is when its body began, or else when it ended.
        guard let committed = listed.committed ?? listed.run.started ?? listed.run.ended else { return since == nil }
        return (before.map { committed < $0 } ?? true) && (since.map { committed >= $0 } ?? true)
    }

    /// What to say if no effect matches.
    ///
    /// - Parameters:
    ///   - stream: The only stream; nil for all.
    ///   - usual: The statuses to select if none was requested.
    func remark(of stream: String?, usual: Set<EffectRun.Status>, _ reader: JournalReader) throws -> String {
        guard !names.isEmpty else { return "No effect matches." }
        let isLive = (statuses ?? usual).isSubset(of: .live)
        let known = Set(try reader.effectNames(of: stream, isLive: isLive))
        let near = names.lazy.map(\.name).filter { !known.contains($0) }.compactMap {
            Suggestion.closest(to: $0, among: known)
        }
        .first
        return "No effect matches." + (near.map { " Did you mean --name '\($0)'?" } ?? "")
    }

    static let options: [any OptionRow] = [name, status, leastAge, greatestAge]

    private static let name = Option<String>.text("name", "NAME", help: "Only effects with this name.").asList
    private static let status = Option<[EffectRun.Status]>.word(
        "status", "STATUS",
        help: "Only effects with this status; live selects all that have not ended.",
        [("live", Array(Set<EffectRun.Status>.live))]
            + EffectRun.Status.allCases.map { ($0.rawValue, [$0]) }
    ).asList
    private static let leastAge = age(
        "older-than", help: "Only effects whose step was committed longer ago than this, such as 10m or 2h.")
    private static let greatestAge = age(
        "newer-than", help: "Only effects whose step was committed no longer ago than this, such as 10m or 2h.")

    private static func age(_ name: String, help: String) -> Option<Span> {
        Option(name, "SPAN", help: help, expected: Span.examples) { Span($0) }
    }
}
