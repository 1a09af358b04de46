import JournalStore

/// Reads a stream for a walk, one page at a time, however long the stream is.
struct WalkSource {
    let reader: JournalReader
    let stream: String
    /// The version of the machine that computes the states; nil if no machine is loaded.
    var version: Int?

    /// The largest number of effects of a step that are read.
    static let mostRuns = 200

    /// The steps around a step; around the last one if the stream ends before it.
    func window(around step: Int) throws(JournalError) -> WalkWindow {
        let reach = WalkWindow.reach
        let head = try info().headStep
        let step = max(1, min(step, head))
        var damage: JournalError?
        // Read the step itself with those after it, and first: the steps before it are read relative to what was found.
        var after = try entries(from: step, limit: reach + 1, .forwards, &damage)
        let hasEnd = after.count <= reach
        let before = try entries(
            from: (after.first?.step ?? step) - (after.isEmpty ? 0 : 1), limit: reach, .backwards, &damage)
        after = before.reversed() + after
        if after.isEmpty, let damage { throw damage }
        var chains = EntryChains(reader)
        var changed: Set<Int> = []
        for entry in after {
            guard let problem = try chains.problem(of: entry) else { continue }
            damage = damage ?? problem
            if problem.step == entry.step { changed.insert(entry.step) }
        }
        var unreadable = Unreadable()
        let rows = zip(after, try reader.outcomes(of: after, &unreadable)).map { entry, outcome in
            WalkRow(entry, outcome ?? .unreadable, isDamaged: changed.contains(entry.step))
        }
        // Read last: an app can have pruned meanwhile what was missing above.
        let pruned = try info().prunedStep
        let lacksEnd = hasEnd && max(pruned, after.last?.step ?? 0) < head
        return WalkWindow(
            rows: rows, hasStart: before.count < reach, hasEnd: hasEnd, isDamaged: damage != nil || lacksEnd,
            pruned: pruned)
    }

    /// Entries from a step on. Passes over what cannot be read, as `log` does.
    ///
    /// - Parameter damage: Gets an error if something was passed over.
    private func entries(
        from step: Int, limit: Int, _ direction: JournalReader.Direction, _ damage: inout JournalError?
    ) throws(JournalError) -> [Entry] {
        do throws(JournalError) {
            return try reader.entries(in: stream, from: step, limit: limit, direction: direction)
        } catch {
            guard error.isDamage else { throw error }
            damage = error
        }
        var pages =
            direction == .forwards
            ? EntryPages(reader, stream: stream, from: step)
            : try EntryPages(backwards: reader, stream: stream, from: step)
        var unreadable = Unreadable()
        var found: [Entry] = []
        do throws(JournalError) {
            while found.count < limit, case let page = try pages.page(&unreadable), !page.isEmpty { found += page }
        } catch {
            // Nothing more can be read in this direction.
            guard error.isDamage else { throw error }
        }
        return Array(found.prefix(limit))
    }

    /// The entry and effects of a step; nil if the step does not exist any more.
    func detail(of step: Int) throws(JournalError) -> WalkDetail? {
        guard let entry = try reader.entries(in: stream, from: step, limit: 1).first, entry.step == step else {
            return nil
        }
        var chains = EntryChains(reader)
        let problem = try chains.problem(of: entry)
        var unreadable = Unreadable()
        var runs: [EffectRun] = []
        do throws(JournalError) {
            runs = try reader.effectRuns(in: stream, step: step, limit: WalkSource.mostRuns + 1)
        } catch {
            guard error.isDamage else { throw error }
        }
        return WalkDetail(
            entry: entry,
            outcome: try reader.outcomes(of: [entry], &unreadable).first.flatMap(\.self) ?? .unreadable, runs: runs,
            problem: problem.map { $0.step == step ? $0.message : "Step \(step - 1) is missing." })
    }

    /// What to tell beside a state of older code, or the changes to it.
    func note(at step: Int, _ pane: WalkPane) throws(JournalError) -> String? {
        guard let version else { return nil }
        return try reader.noteOfOlderCode(at: [(step, pane == .state ? .state : .changes)], of: stream, than: version)
    }

    func info() throws(JournalError) -> StreamInfo {
        try reader.stream(stream)
    }

    /// How many steps a page has whose states are searched too.
    private static let statesPage = 50

    /// Searches one page.
    ///
    /// - Parameter states: Computes the states, which are searched too.
    func search(_ search: WalkSearch, _ states: (any WalkStates)? = nil) throws(JournalError) -> WalkSearch.Result {
        guard search.next > 0 else { return .end() }
        let size = states == nil ? EntryPages.size : WalkSource.statesPage
        var damage: JournalError?
        let page = try entries(from: search.next, limit: size, search.isBackwards ? .backwards : .forwards, &damage)
        var filter = EntryFilter()
        filter.text = search.text
        let firstStep = try states == nil ? nil : info().prunedStep + 1
        var known: [Int: Bool?] = [:]
        /// Nil if the state cannot be computed; the pane of its step says why.
        func isInState(_ step: Int) -> Bool? {
            if let answer = known[step] { return answer }
            let state = try? states?.state(at: step)
            let answer = state.map(search.isIn)
            known[step] = .some(answer)
            return answer
        }
        var hasUnknown = false
        for entry in page {
            let isInAction =
                filter.matches(entry) || search.isIn(entry.action)
                || TextSearch.contains(ShortAction.of(entry.action), search.text)
            if isInAction { return .found(step: entry.step) }
            guard states != nil else { continue }
            let answer = isInState(entry.step)
            if answer == nil { hasUnknown = true }
            guard answer == true, case let before = isInState(entry.step - 1) else { continue }
            // A text that is there from the beginning is found at the beginning.
            guard before != true || entry.step == firstStep else { continue }
            return .found(step: entry.step, isInState: true, wasBefore: before)
        }
        guard page.count == size, let last = page.last else { return .end(hasUnknown: hasUnknown) }
        return .goesOn(from: last.step + (search.isBackwards ? -1 : 1), hasUnknown: hasUnknown)
    }
}
