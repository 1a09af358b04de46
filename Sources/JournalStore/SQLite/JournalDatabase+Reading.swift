/// Reads streams and entries. Every list is a page, so that no reader keeps a transaction open for long: that would
/// make the WAL grow without end (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
extension JournalDatabase {
    func stream(named name: String) throws(DatabaseError) -> StreamInfo? {
        guard let stream = try statement(.streamByName, name).first(StreamInfo.init) else { return nil }
        // The index found it by the name.
        guard stream.name.hasSameBytes(as: name) else {
            throw .damagedRow("the name of a stream differs from that in its index")
        }
        return try withSeeds([stream]).first
    }

    func stream(_ id: StreamID) throws(DatabaseError) -> StreamInfo? {
        try statement(.streamByID, id).first(StreamInfo.init)
    }

    /// The streams with a crash-loop record, without their later seeds.
    func streamsWithCrashLoops() throws(DatabaseError) -> [StreamInfo] {
        try statement(.crashLoops).all(StreamInfo.init)
    }

    func streams(after id: StreamID?, limit: Int) throws(DatabaseError) -> [StreamInfo] {
        let streams = try statement(.streams, id?.rawValue ?? 0, limit).all(StreamInfo.init)
        try RowOrder.check([id?.rawValue ?? 0] + streams.map(\.id.rawValue), of: ("streams", "IDs"))
        return try withSeeds(streams)
    }

    /// The same without the rows that are damaged.
    ///
    /// - Returns: the streams; what is wrong with each of the others; the error of a damaged later seed, without which the
    ///   streams have none of theirs (the opening of a stream reads them again); the error if rows are not in order, such as those
    ///   of an earlier page that SQLite finds again; and the greatest ID, which is nil if no row comes after `id`.
    func soundStreams(
        after id: StreamID?, limit: Int
    ) throws(DatabaseError) -> (
        streams: [StreamInfo], damage: [DatabaseError], seeds: DatabaseError?, disorder: DatabaseError?, last: StreamID?
    ) {
        var (streams, damage, last): ([StreamInfo], [DatabaseError], StreamID?) = ([], [], nil)
        var disorder: DatabaseError?
        try statement(.streams, id?.rawValue ?? 0, limit).forEach { row throws(DatabaseError) in
            let number = row.integer(0)
            do throws(DatabaseError) {
                try RowOrder.check([(last ?? id)?.rawValue ?? 0, number], of: ("streams", "IDs"))
            } catch {
                disorder = error
                return
            }
            last = StreamID(rawValue: number)
            do throws(DatabaseError) { streams.append(try StreamInfo(row)) } catch  where error.isDamagedRow {
                damage.append(error)
            }
        }
        var seeds: DatabaseError?
        do throws(DatabaseError) { streams = try withSeeds(streams) } catch  where error.isDamagedRow { seeds = error }
        return (streams, damage, seeds, disorder, last)
    }

    /// Adds the later seeds of the streams; few streams have any.
    ///
    /// - Parameter streams: in the order of their IDs.
    private func withSeeds(_ streams: [StreamInfo]) throws(DatabaseError) -> [StreamInfo] {
        guard let first = streams.first, let last = streams.last else { return streams }
        var seeds: [Int64: [LaterSeed]] = [:]
        try statement(.seeds, first.id, last.id).forEach { row throws(DatabaseError) in
            seeds[row.integer(0), default: []].append(try LaterSeed(row))
        }
        guard !seeds.isEmpty else { return streams }
        return streams.map { stream in
            var stream = stream
            stream.laterSeeds = seeds[stream.id.rawValue] ?? []
            return stream
        }
    }

    /// - Parameters:
    ///   - bytes: the page ends with the entry with which its actions have so many bytes.
    ///   - inAnyOrder: whether to return also entries that are not in the order of their steps.
    func entries(
        of stream: StreamID, from step: Int, limit: Int, backwards: Bool, bytes: Int = .max, inAnyOrder: Bool = false
    ) throws(DatabaseError) -> [Entry] {
        let entries = try page(statement(backwards ? .entriesBackwards : .entriesForwards, stream, step, limit), bytes)
        if !inAnyOrder {
            // The step itself belongs to the page.
            let start = backwards ? min(step, StoredRange.last) + 1 : max(step, 1) - 1
            try RowOrder.check([start] + entries.map(\.step), of: ("entries", "steps"), backwards: backwards)
        }
        return entries
    }

    private func page(_ rows: Statement, _ bytes: Int) throws(DatabaseError) -> [Entry] {
        var (entries, size): ([Entry], Int) = ([], 0)
        try rows.forEachUntil { row throws(DatabaseError) in
            let entry = try Entry(row)
            size += entry.action.utf8.count
            entries.append(entry)
            return size >= bytes
        }
        return entries
    }

    func storedSteps(of stream: StreamID, from step: Int, limit: Int) throws(DatabaseError) -> StoredSteps {
        var steps = StoredSteps()
        try statement(.storedSteps, stream, step, max(0, limit)).forEachUntil { row throws(DatabaseError) in
            try steps.append(row)
            return steps.isFull
        }
        // The step itself belongs to the page.
        try RowOrder.check([max(step, 1) - 1] + steps.remaining.map(\.number), of: ("entries", "steps"))
        return steps
    }

    func entries(
        after position: Int, limit: Int, bytes: Int = .max, inAnyOrder: Bool = false
    ) throws(DatabaseError) -> [Entry] {
        let entries = try page(statement(.entriesAfter, position, limit), bytes)
        if !inAnyOrder { try RowOrder.check([position] + entries.map(\.position), of: ("entries", "positions")) }
        return entries
    }

    func entries(
        before position: Int, limit: Int, bytes: Int = .max, inAnyOrder: Bool = false
    ) throws(DatabaseError) -> [Entry] {
        let entries = try page(statement(.entriesBefore, position, limit), bytes)
        if !inAnyOrder {
            try RowOrder.check([position] + entries.map(\.position), of: ("entries", "positions"), backwards: true)
        }
        return entries
    }

    func entries(causedBy step: Int, in stream: StreamID, limit: Int) throws(DatabaseError) -> [Entry] {
        var found: [Entry] = []
        for query in [Query.entriesCausedHere, .entriesCausedElsewhere] {
            found += try statement(query, stream, step, limit).all(Entry.init)
        }
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
    }

    func lastStep(in stream: StreamID, atOrBefore time: Timestamp) throws(DatabaseError) -> Int {
        try statement(.lastStepNotAfter, stream, time).first { row throws(DatabaseError) in try row.step(0) } ?? 0
    }

    func firstStep(
        in stream: StreamID, _ steps: ClosedRange<Int>, atOrAfter time: Timestamp
    ) throws(DatabaseError) -> Int? {
        try statement(.firstStepNotBefore, stream, steps.lowerBound, steps.upperBound, time).first {
            row throws(DatabaseError) in try row.step(0)
        }
    }

    func lastPosition(in positions: ClosedRange<Int>, atOrBefore time: Timestamp) throws(DatabaseError) -> Int? {
        try position(.lastPositionNotAfter, positions, time)
    }

    func firstPosition(in positions: ClosedRange<Int>, atOrAfter time: Timestamp) throws(DatabaseError) -> Int? {
        try position(.firstPositionNotBefore, positions, time)
    }

    private func position(
        _ query: Query, _ range: ClosedRange<Int>, _ time: Timestamp
    ) throws(DatabaseError) -> Int? {
        try statement(query, range.lowerBound, range.upperBound, time).first { row throws(DatabaseError) in
            try row.number(0, StoredRange.count, "a position")
        }
    }

    func entryDigest(of stream: StreamID, at step: Int) throws(DatabaseError) -> Digest? {
        try statement(.entryDigest, stream, step).first { row throws(DatabaseError) in try row.digest(0) }
    }

    /// The digest that the entry after a step is chained to; nil if neither the entry of the step nor, after a pruning, a
    /// snapshot of it is there.
    func chainDigest(of stream: StreamInfo, at step: Int) throws(DatabaseError) -> Digest? {
        guard step > 0 else { return stream.birth.digest }
        if let digest = try entryDigest(of: stream.id, at: step) { return digest }
        return try statement(.snapshotDigest, stream.id, step).first { row throws(DatabaseError) in try row.digest(0) }
    }

    /// An entry's link of the digest chain; nil if the entry was pruned.
    ///
    /// - Throws: also if the entry is missing, or does not have its digest.
    func soundLink(of stream: StreamInfo, at step: Int) throws(DatabaseError) -> ChainCheck.Link? {
        guard let link = try links(of: stream.id, from: step, upTo: step, limit: 1).first else {
            guard step > stream.prunedStep else { return nil }
            throw .damagedRow("step \(step) is missing")
        }
        let before = try chainDigest(of: stream, at: step - 1)
        guard before?.chained(body: link.body, position: link.position, time: link.time) == link.digest else {
            throw .damagedRow("step \(step) does not have its digest, or the entry before it is missing")
        }
        return link
    }

    func position(of stream: StreamID, at step: Int) throws(DatabaseError) -> Int? {
        try statement(.entryPosition, stream, step).first { row throws(DatabaseError) in
            try row.number(0, StoredRange.count, "a position")
        }
    }
}
