/// What comes out. Every list is a page, so that no reader holds a transaction open for long: one that does makes the WAL
/// grow without end (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
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

    /// Adds where their chance comes from later on; few have that.
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

    func snapshot(of stream: StreamID, atOrBefore step: Int) throws(DatabaseError) -> Snapshot? {
        let select = try statement(.snapshotAtOrBefore)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        return try select.first { row throws(DatabaseError) in try Snapshot(row) }
    }

    func snapshotMarks(of stream: StreamID) throws(DatabaseError) -> [SnapshotMark] {
        let select = try statement(.snapshotMarks)
        select.bind(1, stream.rawValue)
        return try select.all {
            SnapshotMark(step: Int($0.integer(0)), isBase: $0.integer(1) != 0, version: Int($0.integer(2)))
        }
    }

    /// The steps of runs that have not ended and whose closures can only be had by reducing their step again.
    func liveRunSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        let select = try statement(.liveRunSteps)
        select.bind(1, stream.rawValue)
        return try select.all { Int($0.integer(0)) }
    }

    /// The runs that have not ended.
    func liveRuns(
        of stream: StreamID, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        let select = try statement(.liveRuns)
        select.bind(1, stream.rawValue)
        select.bind(2, place.step)
        select.bind(3, place.ordinal)
        select.bind(4, limit)
        return try select.all { row throws(DatabaseError) in try EffectRun(row) }
    }

    /// The steps that an operator had passed over.
    func skippedSteps(of stream: StreamID) throws(DatabaseError) -> [Int] {
        let select = try statement(.skippedSteps)
        select.bind(1, stream.rawValue)
        return try select.all { Int($0.integer(0)) }
    }

    /// What a run has remembered.
    func remembered(of stream: StreamID, step: Int, ordinal: Int) throws(DatabaseError) -> [RememberedStep] {
        let select = try statement(.remembered)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        select.bind(3, ordinal)
        return try select.all { row in
            RememberedStep(
                stream: StreamID(rawValue: row.integer(0)), step: Int(row.integer(1)), ordinal: Int(row.integer(2)),
                path: row.text(3), name: row.text(4), use: Int(row.integer(5)), result: row.text(6))
        }
    }

    /// The dispatches that running effects come from and that can be cancelled by an ID, by their steps.
    func liveCancelIDs(of stream: StreamID) throws(DatabaseError) -> [Int: String] {
        let select = try statement(.liveCancelIDs)
        select.bind(1, stream.rawValue)
        var found: [Int: String] = [:]
        try select.forEach { row throws(DatabaseError) in found[Int(row.integer(0))] = row.text(1) }
        return found
    }

    /// What is remembered of each queue.
    func queues(of stream: StreamID) throws(DatabaseError) -> [QueueMemory] {
        let select = try statement(.queues)
        select.bind(1, stream.rawValue)
        return try select.all { row in
            QueueMemory(
                stream: stream, key: row.text(0), policy: row.text(1),
                lastStart: row.optionalInteger(2).map { Timestamp(microseconds: $0) })
        }
    }

    /// What earlier openings of a stream left that ended before they were stable.
    func caution(of stream: StreamID) throws(DatabaseError) -> String? {
        let select = try statement(.caution)
        select.bind(1, stream.rawValue)
        return try select.first { $0.optionalText(0) } ?? nil
    }

    func stepRecords(of stream: StreamID, from step: Int, limit: Int) throws(DatabaseError) -> [StepRecord] {
        let select = try statement(.stepRecords)
        select.bind(1, stream.rawValue)
        select.bind(2, step)
        select.bind(3, limit)
        return try select.all { row throws(DatabaseError) in
            guard let outcome = StepRecord.Outcome(rawValue: row.text(1)) else {
                throw .damagedRow("an unknown outcome")
            }
            return StepRecord(
                stream: stream, step: Int(row.integer(0)), outcome: outcome, reason: row.optionalText(2),
                cascade: row.optionalText(3), effects: row.optionalText(4))
        }
    }

    /// What operators did to a stream, the oldest first.
    func interventions(in stream: StreamID) throws(DatabaseError) -> [Intervention] {
        let select = try statement(.interventions)
        select.bind(1, stream.rawValue)
        return try select.all { row throws(DatabaseError) in
            guard let act = Intervention.Act(rawValue: row.text(0)) else {
                throw .damagedRow("an unknown intervention")
            }
            return Intervention(
                act: act, step: Int(row.integer(1)), ordinal: row.optionalInteger(2).map { Int($0) },
                time: Timestamp(microseconds: row.integer(3)),
                before: row.optionalText(4).flatMap { EffectRun.Status(rawValue: $0) }, reason: row.optionalText(5))
        }
    }

    func run(of stream: StreamID, _ key: RunKey) throws(DatabaseError) -> EffectRun? {
        let select = try statement(.run)
        select.bind(1, stream.rawValue)
        select.bind(2, key.step)
        select.bind(3, key.ordinal)
        return try select.first { row throws(DatabaseError) in try EffectRun(row) }
    }

    func runs(
        of stream: StreamID, status: EffectRun.Status?, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        let select = try statement(.runs)
        select.bind(1, stream.rawValue)
        select.bind(2, place.step)
        select.bind(3, place.ordinal)
        select.bind(4, status?.rawValue)
        select.bind(5, limit)
        return try select.all { row throws(DatabaseError) in try EffectRun(row) }
    }
}

// STRICT tables keep the types; a digest of a wrong length or an unknown word is damage, and an error.

extension StreamInfo {
    init(_ row: Row) throws(DatabaseError) {
        // One more must be possible, and none is before the first.
        guard (0..<Int64.max).contains(row.integer(4)) else { throw .damagedRow("a stream that ends at no step") }
        self.init(
            id: StreamID(rawValue: row.integer(0)), name: row.text(1), machine: row.text(2),
            created: Timestamp(microseconds: row.integer(3)), headStep: Int(row.integer(4)),
            headDigest: try row.digest(5),
            settledStep: Int(row.integer(6)), prunedStep: Int(row.integer(7)), seed: row.bytes(8))
    }
}

extension Entry {
    init(_ row: Row) throws(DatabaseError) {
        guard let origin = Origin(rawValue: Int(row.integer(4))) else { throw .damagedRow("an unknown origin") }
        self.init(
            position: Int(row.integer(0)), stream: row.text(1), step: Int(row.integer(2)),
            time: Timestamp(microseconds: row.integer(3)), origin: origin,
            causeStep: row.optionalInteger(5).map { Int($0) }, causeRun: row.optionalInteger(6).map { Int($0) },
            causeStream: row.optionalText(7), version: Int(row.integer(8)), action: row.text(9),
            cancelID: row.optionalText(11), digest: try row.digest(10))
    }
}

extension Snapshot {
    init(_ row: Row) throws(DatabaseError) {
        self.init(
            step: Int(row.integer(0)), version: Int(row.integer(1)), time: Timestamp(microseconds: row.integer(2)),
            isBase: row.integer(3) != 0, digest: try row.digest(4), state: row.text(5))
    }
}

extension EffectRun {
    init(_ row: Row) throws(DatabaseError) {
        guard let status = Status(rawValue: row.text(7)) else { throw .damagedRow("an unknown status") }
        func time(_ column: Int32) -> Timestamp? {
            row.optionalInteger(column).map { Timestamp(microseconds: $0) }
        }
        self.init(
            stream: StreamID(rawValue: row.integer(0)), step: Int(row.integer(1)), ordinal: Int(row.integer(2)),
            rootStep: Int(row.integer(3)), name: row.text(4), effectID: row.optionalText(5),
            queue: row.optionalText(6), status: status, attempts: Int(row.integer(9)), restart: row.text(10),
            retry: row.optionalText(11), notBefore: time(14), started: time(15), ended: time(16),
            error: row.optionalText(17), delivered: Int(row.integer(18)), described: row.optionalText(19),
            version: Int(row.integer(20)))
        cancelID = row.optionalText(8)
        priority = row.optionalInteger(12).map { Int($0) }
        delay = row.optionalInteger(13)
        sends = row.optionalText(21)
        onRestart = row.optionalText(22)
        onFailure = row.optionalText(23)
        onOrphan = row.optionalText(24)
        failures = Int(row.integer(27))
        entry = try time(25).map { time throws(DatabaseError) in Appended.Stamp(time: time, digest: try row.digest(26))
        }
    }
}
