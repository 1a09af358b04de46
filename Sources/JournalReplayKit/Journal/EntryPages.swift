import JournalStore

/// Reads the entries of one stream, or of all streams in commit order, with one page in memory at a time. Passes over
/// what is damaged.
struct EntryPages {
    let reader: JournalReader
    /// The stream; nil for all streams.
    let stream: String?
    private let direction: JournalReader.Direction
    /// Where the next page begins: a step of the stream, or a position if all streams are read.
    private var next: Int
    /// Where the last page ends.
    private let end: Int
    /// The newest position that was read.
    private(set) var position = 0
    /// Checks what is read; nil to read without a check.
    private var chains: EntryChains?
    /// The positions of those entries of the last page that are not as they were written.
    private(set) var changed: Set<Int> = []

    static let size = 500

    /// Reads from older to newer entries.
    ///
    /// - Parameter isChecked: whether to check that the entries are those that were committed.
    init(
        _ reader: JournalReader, stream: String?, from start: Int = 1, upTo end: Int = .max, isChecked: Bool = false
    ) {
        chains = isChecked ? EntryChains(reader) : nil
        self.reader = reader
        self.stream = stream
        direction = .forwards
        next = start
        self.end = end
    }

    /// Reads from newer to older entries.
    ///
    /// - Parameters:
    ///   - start: the newest step, or position, to read; nil for the last.
    ///   - end: the oldest one.
    init(
        backwards reader: JournalReader, stream: String?, from start: Int? = nil, downTo end: Int = 1
    ) throws(JournalError) {
        self.reader = reader
        self.stream = stream
        direction = .backwards
        let last = if let stream { try reader.stream(stream).headStep } else { try reader.lastPosition() }
        next = min(start ?? last, last)
        self.end = end
    }

    /// How many places in a row may be unreadable.
    private static let patience = 10_000

    private var isAtEnd: Bool { direction == .forwards ? next > end : next < end }

    /// Reads the next page; it is empty after the last entry.
    mutating func page(_ unreadable: inout Unreadable) throws(JournalError) -> [Entry] {
        let entries: [Entry]
        do throws(JournalError) { entries = try page(EntryPages.size, &unreadable) } catch {
            guard error.isDamage else { throw error }
            entries = try readablePage(unless: error, &unreadable)
        }
        changed = []
        for entry in entries {
            if try !check(entry, &unreadable) { changed.insert(entry.position) }
        }
        return entries
    }

    /// Checks the next entry of its stream.
    ///
    /// - Returns: whether it is as it was written, also if the entry before it is missing.
    mutating func check(_ entry: Entry, _ unreadable: inout Unreadable) throws(JournalError) -> Bool {
        guard let problem = try chains?.problem(of: entry) else { return true }
        unreadable.breaks += 1
        unreadable.firstBreak = unreadable.firstBreak ?? problem
        return problem.step != entry.step
    }

    /// Reads a page entry by entry.
    ///
    /// - Parameter error: thrown if nothing more can be read.
    private mutating func readablePage(
        unless error: JournalError, _ unreadable: inout Unreadable
    ) throws(JournalError) -> [Entry] {
        var entries: [Entry] = []
        var missed = 0
        var isOver = false
        let last = lastPlace
        while entries.count < EntryPages.size, !entries.fillsPage, !isOver, direction == .backwards || next <= last {
            do throws(JournalError) {
                let found = try page(1, &unreadable)
                unreadable.entries += missed
                missed = 0
                if found.isEmpty { isOver = true }
                entries += found
            } catch {
                guard error.isDamage else { throw error }
                missed += 1
                next += direction == .forwards ? 1 : -1
                isOver = missed > EntryPages.patience
            }
        }
        unreadable.entries += missed
        // If all that follows is damaged, the next call throws.
        guard !entries.isEmpty || missed == 0 && position > 0 else { throw withAdvice(error) }
        return entries
    }

    /// The last place that has an entry, as far as the file tells: after it, no place is tried one by one.
    private var lastPlace: Int {
        let last: Int? = if let stream { try? reader.stream(stream).headStep } else { try? reader.lastPosition() }
        return last ?? .max
    }

    /// The entries of a stream are found with an index, those of all streams without.
    private func withAdvice(_ error: JournalError) -> JournalError {
        guard stream != nil else { return error }
        var error = error
        error.advice = "`log` without STREAM may still read the entries. " + error.advice
        return error
    }

    private mutating func page(_ most: Int, _ unreadable: inout Unreadable) throws(JournalError) -> [Entry] {
        guard !isAtEnd else { return [] }
        // What comes after the end may be damaged.
        let limit =
            switch direction {
            case .forwards where end < .max: min(most, end - next + 1)
            case .backwards: min(most, next - end + 1)
            default: most
            }
        let found =
            switch (stream, direction) {
            case (let stream?, _): try reader.page(in: stream, from: next, limit: limit, direction, inAnyOrder: true)
            case (nil, .forwards): try reader.page(after: next - 1, limit: limit, inAnyOrder: true)
            case (nil, .backwards): try reader.page(before: next + 1, limit: limit, inAnyOrder: true)
            }
        var entries = try ordered(found, &unreadable)
        entries.removeAll { direction == .forwards ? place(of: $0) > end : place(of: $0) < end }
        if let last = entries.last {
            next = place(of: last) + (direction == .forwards ? 1 : -1)
            position = max(position, last.position)
        }
        return entries
    }

    /// The entries of a page that are in order, and have not been read before. Of two that are not in order, the first
    /// is left out if the second fits to those before both, otherwise the second.
    ///
    /// - Throws: ``JournalError`` if there are none: the next page would be the same for ever.
    private func ordered(_ found: [Entry], _ unreadable: inout Unreadable) throws(JournalError) -> [Entry] {
        var kept: [Entry] = []
        func isAfter(_ entry: Entry, _ other: Entry?) -> Bool {
            // Without another one, it shall be one that this page begins with, or a later one.
            guard let other = other.map(place(of:)) else {
                return direction == .forwards ? place(of: entry) >= next : place(of: entry) <= next
            }
            return direction == .forwards ? place(of: entry) > other : place(of: entry) < other
        }
        for entry in found where isAfter(entry, nil) {
            if !isAfter(entry, kept.last) {
                unreadable.entries += 1
                guard isAfter(entry, kept.dropLast().last) else { continue }
                kept.removeLast()
            }
            kept.append(entry)
        }
        guard found.isEmpty || !kept.isEmpty else {
            throw JournalError(
                .corrupt, "The database is damaged: its entries are not in order.",
                advice: JournalError.adviceToVerify, file: reader.file, stream: stream)
        }
        return kept
    }

    private func place(of entry: Entry) -> Int { stream == nil ? entry.position : entry.step }
}

extension EntryPages {
    /// Where to begin in order to read exactly the last `count` matching entries.
    ///
    /// - Parameters:
    ///   - first: the oldest step, or position, to consider.
    ///   - end: the newest one; nil for the last.
    ///   - select: returns the matching entries of a page, in their order.
    static func start(
        ofLast count: Int, _ reader: JournalReader, in stream: String?, from first: Int = 1, upTo end: Int? = nil,
        _ select: ([Entry]) throws(JournalError) -> [Entry]
    ) throws(JournalError) -> Int {
        var pages = try EntryPages(backwards: reader, stream: stream, from: end, downTo: first)
        // What cannot be read is counted when the entries are read forwards.
        var unreadable = Unreadable()
        var (missing, start) = (count, first)
        while missing > 0, case let page = try pages.page(&unreadable), !page.isEmpty {
            let found = try select(page).prefix(missing)
            missing -= found.count
            if let oldest = found.last { start = pages.place(of: oldest) }
        }
        return start
    }
}

extension EntryChains {
    /// What is wrong with the next entry of its stream, or with the place before it; nil if nothing is.
    mutating func problem(of entry: Entry) throws(JournalError) -> JournalError? {
        do throws(JournalError) { try check(entry) } catch {
            guard error.isDamage else { throw error }
            return error
        }
        return nil
    }
}
