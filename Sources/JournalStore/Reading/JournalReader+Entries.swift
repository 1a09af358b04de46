// Entries by their stream and step, by their positions, and by what caused them.

extension JournalReader {
    /// The order in which to read.
    public enum Direction: Hashable, Sendable {
        /// From older to newer.
        case forwards
        /// From newer to older.
        case backwards
    }

    /// One page of a stream's entries, starting with `step`.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: where to begin; nil for the first entry or, backwards, for the newest.
    ///   - limit: the most entries to return.
    ///   - direction: the order in which to read.
    /// - Returns: the entries in the order they are read; empty after the last.
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func entries(
        in name: String, from step: Int? = nil, limit: Int, direction: Direction = .forwards
    ) throws(JournalError) -> [Entry] {
        let stream = try stream(name)
        let start = step ?? (direction == .forwards ? 1 : stream.headStep)
        return try entries(in: stream, from: start, limit: limit, direction: direction)
    }

    /// The same for a caller that has read the stream's row.
    func entries(
        in stream: StreamInfo, from step: Int, limit: Int, direction: Direction = .forwards
    ) throws(JournalError) -> [Entry] {
        try read("reading entries", stream: stream.name, step: step) {
            [id = stream.id] database throws(DatabaseError) in
            try database.entries(of: id, from: step, limit: max(0, limit), backwards: direction == .backwards)
        }
    }

    /// Follows the digest chain from the entry after a step.
    func chain(of stream: StreamInfo, after step: Int) throws(JournalError) -> ChainFollower {
        let digest = try read("reading an entry", stream: stream.name, step: step) { database throws(DatabaseError) in
            try database.chainDigest(of: stream, at: step)
        }
        guard let digest else {
            try checkWasNotPruned(step, of: stream, asked: step)
            throw location(stream.name, step).error(
                .corrupt, "Neither the entry nor a snapshot of its step is there.",
                advice: JournalError.adviceForMissingEntry)
        }
        return ChainFollower(stream, after: step, digest: digest)
    }

    /// Throws if the entries up to a step were pruned, perhaps after the stream's row was read.
    ///
    /// - Parameter asked: the step that was asked for, if it is known; it can be a later one, also one that was not pruned.
    func checkWasNotPruned(_ step: Int, of stream: StreamInfo, asked: Int?) throws(JournalError) {
        let pruned = try self.stream(stream.name).prunedStep
        if step <= pruned { throw prunedSteps(pruned, asked.map { $0 <= pruned ? $0 : step }, of: stream) }
    }

    package func prunedSteps(_ last: Int, _ step: Int?, of stream: StreamInfo) -> JournalError {
        location(stream.name, step).error(
            .noUsableSnapshot, "The entries up to step \(last) were pruned.",
            advice: "Choose a step from \(last) on, or read a backup that has the entries.")
    }

    /// The entries that a step caused, in all streams: the actions its effects sent and its messages to other machines.
    ///
    /// It scans all entries after the step.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func entries(causedBy step: Int, in name: String, limit: Int) throws(JournalError) -> [Entry] {
        let found = try read("reading entries", of: name, step: step) { database, id throws(DatabaseError) in
            try database.entries(causedBy: step, in: id, limit: max(0, limit))
        }
        // Checks the rows that the names come from.
        for stream in Set(found.lazy.map { ByteName($0.stream) }) where stream != ByteName(name) {
            _ = try self.stream(stream.name)
        }
        return found
    }

    /// The last step of a stream that was committed at or before a time; 0 if there is none.
    ///
    /// A clock can be set back, so earlier steps can have later times.
    ///
    /// It is one of the entries that are left: those that were pruned have no times.
    ///
    /// - Throws: ``JournalError`` if there is no such stream, or the journal cannot be read.
    public func lastStep(in name: String, atOrBefore time: Timestamp) throws(JournalError) -> Int {
        let last = try read("looking for a time", of: name) { database, id throws(DatabaseError) in
            try database.lastStep(in: id, atOrBefore: time)
        }
        // It is the last one because of its time and of that of the next one.
        var chains = EntryChains(self)
        for entry in try entries(in: name, from: last, limit: 2) { try chains.check(entry) }
        return last
    }

    /// The same. Throws if steps after that one were pruned: one of them can be the last step at the time.
    package func knownLastStep(in name: String, atOrBefore time: Timestamp) throws(JournalError) -> Int {
        let step = try lastStep(in: name, atOrBefore: time)
        let stream = try stream(name)
        // An entry that pruning has kept can follow, with a later time.
        guard step < stream.prunedStep, try entries(in: name, from: step + 1, limit: 1).first?.step != step + 1 else {
            return step
        }
        let first = try entries(in: stream.name, from: stream.prunedStep + 1, limit: 1).first?.time
        throw location(stream.name).error(
            .noUsableSnapshot,
            "The stream's last step at \(time) is not known: the entries up to step \(stream.prunedStep) were pruned.",
            advice: (first.map { "States can be computed from \($0) on. " } ?? "")
                + "Choose a later time, or read a backup that has the entries.")
    }

    /// The first place with an entry that was committed at or after a time: a step of a stream or, for all streams, a
    /// position. If there is none, the place after the last entry.
    ///
    /// A clock can be set back, so later places can have earlier times. The entries are not checked.
    ///
    /// - Parameter start: the first step to consider; of no importance for all streams.
    package func firstPlace(
        in name: String?, from start: Int, atOrAfter time: Timestamp
    ) throws(JournalError) -> Int {
        let newest = if let name { try stream(name).headStep } else { try lastPosition() }
        var start = max(1, start)
        while start <= newest {
            let places = start...min(newest, start + Self.placesOfSearch - 1)
            let found: Int? =
                if let name {
                    try read(Self.search, of: name) { database, id throws(DatabaseError) in
                        try database.firstStep(in: id, places, atOrAfter: time)
                    }
                } else {
                    try read(Self.search) { database throws(DatabaseError) in
                        try database.firstPosition(in: places, atOrAfter: time)
                    }
                }
            if let found { return found }
            start = places.upperBound + 1
        }
        return newest + 1
    }

    private static let search = "looking for a time"
    /// How many places one transaction of a search looks at.
    private static let placesOfSearch = 100_000

    /// The last place with an entry that was committed at or before a time; 0 if there is none. Earlier places can have
    /// later times. The entries are not checked.
    package func lastPlace(in name: String?, atOrBefore time: Timestamp) throws(JournalError) -> Int {
        if let name {
            return try read(Self.search, of: name) { database, id throws(DatabaseError) in
                try database.lastStep(in: id, atOrBefore: time)
            }
        }
        var end = try lastPosition()
        while end > 0 {
            let places = max(1, end - Self.placesOfSearch + 1)...end
            let found = try read(Self.search) { database throws(DatabaseError) in
                try database.lastPosition(in: places, atOrBefore: time)
            }
            if let found { return found }
            end = places.lowerBound - 1
        }
        return 0
    }

    /// One page of the entries of all streams after a position, in the order they were committed.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func entries(after position: Int, limit: Int) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(after: position, limit: max(0, limit))
        }
    }

    /// One page of the entries of all streams before a position, newest first.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func entries(before position: Int, limit: Int) throws(JournalError) -> [Entry] {
        try read("reading entries") { database throws(DatabaseError) in
            try database.entries(before: position, limit: max(0, limit))
        }
    }

    /// The position of the newest entry of all streams; 0 if there is none.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func lastPosition() throws(JournalError) -> Int {
        try read("reading the last position") { database throws(DatabaseError) in try database.lastPosition() }
    }
}
