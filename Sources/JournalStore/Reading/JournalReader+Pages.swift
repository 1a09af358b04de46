// Pages for callers that read a whole stream or journal. Actions can be large: a page ends at its limit, or with the
// entry with which it has enough bytes.

extension JournalReader {
    /// A page ends with the item with which it has as many bytes.
    package static var pageBytes: Int { StoredSteps.enough }

    /// One page of a stream's entries, from a step on; empty after the last.
    ///
    /// - Parameter inAnyOrder: whether to return the entries as they stand in the file, instead of an error if it is
    ///   damaged and they are not in order.
    package func page(
        in name: String, from step: Int, limit: Int, _ direction: Direction = .forwards, inAnyOrder: Bool = false
    ) throws(JournalError) -> [Entry] {
        try page(in: try stream(name), from: step, limit: limit, direction, inAnyOrder: inAnyOrder)
    }

    /// The same for a caller that has read the stream's row.
    func page(
        in stream: StreamInfo, from step: Int, limit: Int, _ direction: Direction = .forwards, inAnyOrder: Bool = false
    ) throws(JournalError) -> [Entry] {
        try read("reading entries", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.entries(
                of: id, from: step, limit: limit, backwards: direction == .backwards, bytes: StoredSteps.enough,
                inAnyOrder: inAnyOrder)
        }
    }

    /// One page of the entries of all streams after a position; empty after the last.
    package func page(
        after position: Int, limit: Int, inAnyOrder: Bool = false
    ) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(
                after: position, limit: limit, bytes: StoredSteps.enough, inAnyOrder: inAnyOrder)
        }
    }

    /// One page of the entries of all streams before a position, newest first; empty before the first.
    package func page(
        before position: Int, limit: Int, inAnyOrder: Bool = false
    ) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(
                before: position, limit: limit, bytes: StoredSteps.enough, inAnyOrder: inAnyOrder)
        }
    }
}

extension Collection where Element == Entry {
    /// Whether a page of these entries ends here, also if its limit is larger.
    package var fillsPage: Bool { reduce(0) { $0 + $1.action.utf8.count } >= StoredSteps.enough }
}
