import JournalStore

/// What a walk reads of a journal: each time a page, however long the stream is.
struct WalkSource {
    let reader: JournalReader
    let stream: String

    /// More effects of a step are counted as more.
    static let mostRuns = 200

    /// The steps around one; around the last one where there are none so far.
    func window(around step: Int) throws(JournalError) -> WalkWindow {
        let reach = WalkWindow.reach
        let step = max(1, step)
        // The entry itself is read with those behind it, and so that they fit together it is read first.
        var after = step == .max ? [] : try reader.entries(in: stream, from: step, limit: reach + 1)
        let hasEnd = after.count <= reach
        let before = try reader.entries(
            in: stream, from: (after.first?.step ?? step) - (after.isEmpty ? 0 : 1), limit: reach, .backwards)
        after = before.reversed() + after
        return WalkWindow(rows: after.map(WalkRow.init), hasStart: before.count < reach, hasEnd: hasEnd)
    }

    /// nil where the step is not there any more.
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
