import JournalStore

/// Reads a stream for a walk, one page at a time, however long the stream is.
struct WalkSource {
    let reader: JournalReader
    let stream: String

    /// The largest number of effects of a step that are read.
    static let mostRuns = 200

    /// The steps around a step; around the last one if the stream ends before it.
    func window(around step: Int) throws(JournalError) -> WalkWindow {
        let reach = WalkWindow.reach
        let step = max(1, step)
        // Read the step itself with those after it, and first: the steps before it are read relative to what was found.
        var after = step == .max ? [] : try reader.entries(in: stream, from: step, limit: reach + 1)
        let hasEnd = after.count <= reach
        let before = try reader.entries(
            in: stream, from: (after.first?.step ?? step) - (after.isEmpty ? 0 : 1), limit: reach, .backwards)
        after = before.reversed() + after
        return WalkWindow(rows: after.map(WalkRow.init), hasStart: before.count < reach, hasEnd: hasEnd)
    }

    /// The entry and effects of a step; nil if the step does not exist any more.
    func detail(of step: Int) throws(JournalError) -> WalkDetail? {
        guard let entry = try reader.entries(in: stream, from: step, limit: 1).first, entry.step == step else {
            return nil
        }
        return WalkDetail(
            entry: entry, runs: try reader.effectRuns(of: stream, step: step, limit: WalkSource.mostRuns + 1))
    }

    func info() throws(JournalError) -> StreamInfo {
        try reader.stream(stream)
    }

    /// Searches one page.
    func search(_ search: WalkSearch) throws(JournalError) -> WalkSearch.Result {
        guard search.next > 0 else { return .end }
        let page = try reader.entries(
            in: stream, from: search.next, limit: EntryPages.size, search.isBackwards ? .backwards : .forwards)
        var filter = EntryFilter()
        filter.text = search.text
        if let found = page.first(where: filter.matches) { return .found(step: found.step) }
        guard page.count == EntryPages.size, let last = page.last else { return .end }
        return .goesOn(from: last.step + (search.isBackwards ? -1 : 1))
    }
}
