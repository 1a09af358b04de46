/// Reads streams and entries. Every list is a page, so that no reader keeps a transaction open for long: that would
/// make the WAL grow without end (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
extension JournalDatabase {
    func stream(named name: String) throws(DatabaseError) -> StreamInfo? {
        let select = try statement(.streamByName)
        select.bind(1, name)
        guard let stream = try select.first({ row throws(DatabaseError) in try StreamInfo(row) }) else { return nil }
        return try withSeeds([stream]).first
    }

    func streams(after id: StreamID?, limit: Int) throws(DatabaseError) -> [StreamInfo] {
        let select = try statement(.streams)
        select.bind(1, id?.rawValue ?? 0)
        select.bind(2, limit)
        return try withSeeds(try select.all { row throws(DatabaseError) in try StreamInfo(row) })
    }

    /// Adds the later seeds of the streams; few streams have any.
    ///
    /// - Parameter streams: in the order of their IDs.
    private func withSeeds(_ streams: [StreamInfo]) throws(DatabaseError) -> [StreamInfo] {
        guard let first = streams.first, let last = streams.last else { return streams }
        let select = try statement(.seeds)
        select.bind(1, first.id.rawValue)
        select.bind(2, last.id.rawValue)
        var seeds: [Int64: [LaterSeed]] = [:]
        try select.forEach {
            seeds[$0.integer(0), default: []].append(LaterSeed(step: Int($0.integer(1)), seed: $0.bytes(2)))
        }
        guard !seeds.isEmpty else { return streams }
        return streams.map { stream in
            var stream = stream
            stream.laterSeeds = seeds[stream.id.rawValue] ?? []
            return stream
        }
    }

    func entries(
        of stream: StreamID, from step: Int, limit: Int, backwards: Bool
    ) throws(DatabaseError) -> [Entry] {
        let select = try statement(backwards ? .entriesBackwards : .entriesForwards)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        select.bind(3, limit)
        return try select.all { row throws(DatabaseError) in try Entry(row) }
    }

    func storedSteps(of stream: StreamID, from step: Int, limit: Int) throws(DatabaseError) -> StoredSteps {
        let select = try statement(.storedSteps)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        select.bind(3, max(0, limit))
        var steps = StoredSteps()
        try select.forEachUntil { row throws(DatabaseError) in
            try steps.append(row)
            return steps.isFull
        }
        return steps
    }

    func entries(after position: Int, limit: Int) throws(DatabaseError) -> [Entry] {
        let select = try statement(.entriesAfter)
        select.bind(1, position)
        select.bind(2, limit)
        return try select.all { row throws(DatabaseError) in try Entry(row) }
    }

    func entries(before position: Int, limit: Int) throws(DatabaseError) -> [Entry] {
        let select = try statement(.entriesBefore)
        select.bind(1, position)
        select.bind(2, limit)
        return try select.all { row throws(DatabaseError) in try Entry(row) }
    }

    func entries(causedBy step: Int, of stream: StreamID, limit: Int) throws(DatabaseError) -> [Entry] {
        var found: [Entry] = []
        for query in [Query.entriesCausedHere, .entriesCausedElsewhere] {
            let select = try statement(query)
            select.bind(1, stream.rawValue)
            select.bind(2, step)
            select.bind(3, limit)
            found += try select.all { row throws(DatabaseError) in try Entry(row) }
        }
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
    }

    func lastStep(of stream: StreamID, notAfter time: Timestamp) throws(DatabaseError) -> Int {
        let select = try statement(.lastStepNotAfter)
        select.bind(1, stream.rawValue)
        select.bind(2, time.microseconds)
        return try select.first { Int($0.integer(0)) } ?? 0
    }

    func entryDigest(of stream: StreamID, at step: Int) throws(DatabaseError) -> Digest? {
        let select = try statement(.entryDigest)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        return try select.first { row throws(DatabaseError) in try row.digest(0) }
    }

    func position(of stream: StreamID, at step: Int) throws(DatabaseError) -> Int? {
        let select = try statement(.entryPosition)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        return try select.first { Int($0.integer(0)) }
    }
}
