import JournalStore

/// Which entries `log` shows, and how it finds them.
struct LogQuery: Sendable {
    var stream: String?
    var from: Int?
    var to: Int?
    var last: Int?
    var follows = false
    var filter = EntryFilter()

    init(_ arguments: Arguments, _ reader: JournalReader) throws {
        from = arguments[LogOptions.from]
        to = arguments[LogOptions.to]
        last = arguments[LogOptions.last]
        follows = arguments[LogOptions.follow]
        filter.origins = Set(arguments.all(LogOptions.origin))
        filter.types = Set(arguments.all(LogOptions.type))
        filter.text = arguments[LogOptions.text]
        filter.since = arguments[LogOptions.since]
        filter.until = arguments[LogOptions.until]
        if follows, filter.until != nil { throw UsageError("'--follow' and '--until' exclude each other.") }
        stream = try arguments[.stream] ?? LogQuery.onlyStream(reader, isNeededFor: from ?? to)
        // Throws now if the stream is unknown, before any other argument is used.
        if let stream { _ = try reader.stream(stream) }
    }

    /// Step numbers need a stream: the only one, if the journal has only one.
    private static func onlyStream(_ reader: JournalReader, isNeededFor step: Int?) throws -> String? {
        guard step != nil else { return nil }
        let streams = try reader.streams()
        guard streams.count > 1 else { return streams.first?.name }
        throw UsageError(
            "'--from' and '--to' count the steps of one stream, and this journal has \(streams.count): "
                + "name one with '--stream'.")
    }

    /// Passes the matching entries to `show`, page by page; if `follows` is set, each new one as well.
    func run(_ reader: JournalReader, _ show: ([Entry]) throws -> Void) async throws {
        // Looked up before the pages are read: entries committed meanwhile must not be skipped as old.
        let newest = follows && stream != nil ? try NewestEntries(reader: reader).newestPosition() ?? 0 : 0
        var pages = EntryPages(reader, stream: stream, from: try start(reader))
        var missing = follows ? .max : last ?? .max
        while missing > 0 {
            let page = try pages.page()
            let shown = Array(page.lazy.filter { isBefore($0) && filter.matches($0) }.prefix(missing))
            missing -= shown.count
            try show(shown)
            if let step = page.last?.step, isEnd(step) { return }
            if page.isEmpty { break }
        }
        guard follows else { return }
        for try await entry in reader.entries(after: max(newest, pages.position)) {
            guard stream == nil || entry.stream == stream else { continue }
            if isBefore(entry), filter.matches(entry) { try show([entry]) }
            if isEnd(entry.step) { return }
        }
    }

    private func start(_ reader: JournalReader) throws -> Int {
        guard let last else { return from ?? 1 }
        let start = try NewestEntries(reader: reader).start(ofLast: last, in: stream, upTo: to, filter.matches)
        return max(start, from ?? 1)
    }

    /// Whether the entry is not after the last requested step.
    private func isBefore(_ entry: Entry) -> Bool {
        to.map { entry.step <= $0 } ?? true
    }

    private func isEnd(_ step: Int) -> Bool {
        to.map { step >= $0 } ?? false
    }
}
