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
        filter.names = Set(arguments.all(LogOptions.name).map { ByteName($0) })
        filter.outcomes = Set(arguments.all(LogOptions.outcome))
        filter.text = arguments[LogOptions.text]
        let times = try arguments.times(LogOptions.since, LogOptions.until)
        filter.since = times.since
        filter.until = times.until
        if let from, let to, from > to { throw UsageError("'--from' \(from) is after '--to' \(to).") }
        if follows, filter.until != nil { throw UsageError("'--follow' and '--until' exclude each other.") }
        stream = try arguments.namedStream() ?? LogQuery.onlyStream(reader, isNeededFor: from ?? to)
        // Throws now if the stream is unknown, before any other argument is used.
        if let stream { _ = try reader.stream(stream) }
    }

    /// Step numbers need a stream: the only one, if the journal has only one.
    private static func onlyStream(_ reader: JournalReader, isNeededFor step: Int?) throws -> String? {
        guard step != nil else { return nil }
        let streams = try reader.streams()
        guard streams.count > 1 else { return streams.first?.name }
        if let only = Arguments.only(of: streams) { return only.name }
        var error = UsageError.several(streams)
        error.message = "'--from' and '--to' count the steps of one stream. " + error.message
        throw error
    }

    /// Passes the matching entries to `show`, page by page; if `follows` is set, each new one as well.
    ///
    /// - Parameter warn: Gets the error for what could not be read before the wait for new entries begins, which may
    ///   not end.
    /// - Returns: what could not be read.
    func run(
        _ reader: JournalReader, warn: (JournalError) -> Void = { _ in }, _ show: ([EntryRow]) throws -> Void
    ) async throws -> Unreadable {
        var unreadable = Unreadable()
        let file = follows ? WatchedFile(reader) : nil
        let end = try end(reader)
        let start = try start(reader, upTo: end)
        // Looked up before the pages are read: entries committed meanwhile must not be skipped as old.
        let newest = try !follows ? 0 : stream == nil ? start - 1 : reader.lastPosition()
        let isComplete = follows ? try isReached(reader) : false
        var pages = EntryPages(reader, stream: stream, from: start, upTo: end, isChecked: true)
        var missing = follows ? .max : last ?? .max
        while missing > 0 {
            let page = try pages.page(&unreadable)
            try await waitForOutcomes(of: page, reader)
            var shown = Array(try filter.select(page, reader, &unreadable).prefix(missing))
            for index in shown.indices { shown[index].isDamaged = pages.changed.contains(shown[index].entry.position) }
            missing -= shown.count
            try show(shown)
            if let step = page.last?.step, isEnd(step) { return unreadable }
            if page.isEmpty { break }
        }
        try checkEnds(reader, &unreadable)
        guard follows, !isComplete else { return unreadable }
        if let error = unreadable.error(reader.file) { warn(error) }
        let wanted = stream.map { ByteName($0) }
        // Nothing may be written for a long time, so that a closed pipe would not be noticed.
        let entries = reader.follow(after: max(newest, pages.position), of: file) {
            !System.isClosed(System.standardOutput)
        }
        for try await entry in entries {
            guard wanted == nil || wanted == ByteName(entry.stream) else { continue }
            let isSound = try pages.check(entry, &unreadable)
            if isInRange(entry), filter.matches(entry) {
                try await waitForOutcomes(of: [entry], reader)
                var shown = try filter.select([entry], reader, &unreadable)
                for index in shown.indices { shown[index].isDamaged = !isSound }
                try show(shown)
            }
            if isEnd(entry.step) { break }
        }
        return unreadable
    }

    /// Notes if entries are missing at the end of a stream: no later entry tells that. If other damage is known, this
    /// is left to the verification.
    private func checkEnds(_ reader: JournalReader, _ unreadable: inout Unreadable) throws(JournalError) {
        guard unreadable == Unreadable() else { return }
        do throws(JournalError) {
            if let stream {
                try checkEnd(of: try reader.stream(stream), reader)
            } else if last == nil {
                var streams = try reader.streams(after: nil)
                while let newest = streams.last {
                    for stream in streams { try checkEnd(of: stream, reader) }
                    streams = try reader.streams(after: newest)
                }
            }
        } catch {
            guard error.isDamage else { throw error }
            unreadable.breaks += 1
            unreadable.firstBreak = error
        }
    }

    private func checkEnd(of stream: StreamInfo, _ reader: JournalReader) throws(JournalError) {
        // What comes after the end may be damaged.
        if let to, to < stream.headStep { return }
        _ = try reader.newestEntry(of: stream)
    }

    /// The last of the steps that are asked for and were pruned; nil if none was.
    func prunedStep(_ reader: JournalReader) throws(JournalError) -> Int? {
        guard let stream, case let pruned = try reader.stream(stream).prunedStep, pruned >= from ?? 1, pruned > 0 else {
            return nil
        }
        return pruned
    }

    /// The name of an action that was probably meant, if no entry matches.
    func nearName(_ reader: JournalReader) throws(JournalError) -> String? {
        guard !filter.names.isEmpty else { return nil }
        var names: Set<String> = []
        var (pages, unreadable) = (EntryPages(reader, stream: stream), Unreadable())
        while case let page = try pages.page(&unreadable), !page.isEmpty {
            names.formUnion(page.compactMap { EntryRow.name(of: $0.action) })
        }
        return filter.names.lazy.map(\.name).filter { !names.contains($0) }
            .compactMap { Suggestion.closest(to: $0, among: names) }.first
    }

    /// An outcome is recorded up to a second after its entry. If only some outcomes are wanted, waits for those of new
    /// entries.
    private func waitForOutcomes(of entries: [Entry], _ reader: JournalReader) async throws {
        guard follows, !filter.outcomes.isEmpty else { return }
        for entry in entries where isInRange(entry) && filter.matches(entry) {
            while LogQuery.isNew(entry), try reader.outcomes(of: [entry]).first?.outcome == nil {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Whether an entry is so new that its outcome can still be on its way, also on a busy machine.
    private static func isNew(_ entry: Entry) -> Bool {
        // A file can contain any time, so the difference can overflow.
        let (age, overflow) = Timestamp.now().microseconds.subtractingReportingOverflow(entry.time.microseconds)
        return !overflow && (0..<5_000_000).contains(age)
    }

    /// The oldest step to read; 1 if all streams are read.
    private var oldest: Int { stream == nil ? 1 : from ?? 1 }

    /// The last step, or position, to read.
    private func end(_ reader: JournalReader) throws(JournalError) -> Int {
        // An app can commit faster than this reads. If the end cannot be read, the pages find it.
        let newest = follows ? .max : (try? newestPlace(reader)) ?? .max
        let last = min(to ?? .max, newest)
        guard let until = filter.until else { return last }
        do throws(JournalError) {
            // With the entry after it, whose time is then checked too.
            return try min(last, reader.lastPlace(in: stream, atOrBefore: until) + 1)
        } catch {
            // The pages pass over what is damaged.
            guard error.isDamage else { throw error }
            return last
        }
    }

    private func newestPlace(_ reader: JournalReader) throws(JournalError) -> Int {
        if let stream { try reader.stream(stream).headStep } else { try reader.lastPosition() }
    }

    /// The step, or position, to begin with.
    private func start(_ reader: JournalReader, upTo end: Int) throws(JournalError) -> Int {
        let first = try firstPlace(reader)
        guard let last else { return first }
        return try EntryPages.start(ofLast: last, reader, in: stream, from: first, upTo: end) {
            page throws(JournalError) in
            var unreadable = Unreadable()
            return try filter.outcomes.isEmpty
                ? page.filter(filter.matches) : filter.select(page, reader, &unreadable).map(\.entry)
        }
    }

    /// Where the entries begin whose times match.
    private func firstPlace(_ reader: JournalReader) throws(JournalError) -> Int {
        guard let since = filter.since else { return oldest }
        do throws(JournalError) {
            // With the entry before it, whose time is then checked too.
            return try max(oldest, reader.firstPlace(in: stream, from: oldest, atOrAfter: since) - 1)
        } catch {
            // The pages pass over what is damaged.
            guard error.isDamage else { throw error }
            return oldest
        }
    }

    private func isInRange(_ entry: Entry) -> Bool {
        entry.step >= from ?? 1 && entry.step <= to ?? .max
    }

    /// Whether the stream has the last wanted step already, even if it was pruned.
    private func isReached(_ reader: JournalReader) throws -> Bool {
        guard let stream, let to else { return false }
        return try to <= reader.stream(stream).headStep
    }

    private func isEnd(_ step: Int) -> Bool {
        to.map { step >= $0 } ?? false
    }
}
