/// Pages of rows of one stream or of all streams, so that many streams need few reads.
extension JournalDatabase {
    /// The place of a row in such a list; at first before all rows of a stream.
    struct ListPlace: Hashable, Sendable {
        var stream: Int64
        var step = -1
        var ordinal = -1
        /// The last stream of the list.
        let last: Int64

        /// For comparisons.
        var key: (Int64, Int, Int) { (stream, step, ordinal) }

        /// - Parameter stream: the only stream of the list; nil for all.
        init(of stream: StreamID?) {
            (self.stream, last) = (stream?.rawValue ?? .min, stream?.rawValue ?? .max)
        }
    }

    /// Lists damaged snapshots too.
    func snapshotList(
        after place: ListPlace, limit: Int
    ) throws(DatabaseError) -> [(stream: StreamID, time: Timestamp?, mark: SnapshotMark)] {
        let rows = try statement(.snapshotList, place.stream, place.step, place.last, limit)
        let snapshots = try rows.all { row throws(DatabaseError) -> (StreamID, Timestamp?, SnapshotMark) in
            let mark = try SnapshotMark(row, from: 1)
            return (try row.stream(0), mark.isDamaged ? try? row.time(6) : try row.time(6), mark)
        }
        let places = [(place.stream, place.step)] + snapshots.map { ($0.0.rawValue, $0.2.step) }
        try RowOrder.check(places, of: ("snapshots", "steps")) { $0 < $1 }
        return snapshots
    }

    /// Which runs a list has.
    struct RunSelection: Sendable {
        /// Whether to leave out the runs that have ended.
        var isLive = false
        /// Whether to leave out all but the failed runs.
        var isFailed = false
        /// An array of JSON; nil for all.
        var statuses: String?
        /// An array of JSON; nil for all.
        var names: String?
        /// The most rows that a page passes to find some, so that no read takes long.
        var reach = 10_000

        /// Whether a page can have to pass many rows. Live and failed runs are few, and have an index.
        var passesRows: Bool { !isLive && !isFailed && (statuses != nil || names != nil) }
    }

    /// A page of runs: at most `limit`, and it ends with the run with which it has enough bytes.
    ///
    /// A page can be empty before the end of the list. At the end, the place stays the same.
    ///
    /// - Parameters:
    ///   - place: the place before the page; then the last place in it.
    ///   - damage: gets what is wrong with each row that is damaged. The page goes on after it.
    func runList(
        after place: inout ListPlace, limit: Int, _ selection: RunSelection, damage: inout [DatabaseError]
    ) throws(DatabaseError) -> [EffectRun] {
        let end = selection.passesRows ? try laterRun(selection.reach, after: place) : nil
        let last: (stream: Int64, step: Int, ordinal: Int) =
            if let end { (end.stream, end.step, end.ordinal) } else { (place.last, .max, .max) }
        let query: Query = selection.isLive ? .liveRunList : selection.isFailed ? .failedRunList : .runList
        let page = try page(
            statement(
                query, place.stream, place.step, place.ordinal, last.stream, last.step, last.ordinal,
                selection.statuses, selection.names, limit))
        try RowOrder.check([place.key] + page.keys, of: ("effects", "steps")) { $0 < $1 }
        if let last = page.keys.last {
            (place.stream, place.step, place.ordinal) = last
        } else if let end {
            place = end
        }
        damage += page.damage
        return page.runs
    }

    /// The place of the run that is so many rows after a place; nil if there are not so many.
    private func laterRun(_ count: Int, after place: ListPlace) throws(DatabaseError) -> ListPlace? {
        let found = try statement(.laterRun, place.stream, place.step, place.ordinal, place.last, count - 1).first {
            row throws(DatabaseError) -> ListPlace? in
            var later = place
            (later.stream, later.step, later.ordinal) = (row.integer(0), Int(row.integer(1)), Int(row.integer(2)))
            return later
        }
        guard let found else { return nil }
        try RowOrder.check([place.key, found.key], of: ("effects", "steps")) { $0 < $1 }
        return found
    }

    /// The names of the recorded effects.
    ///
    /// - Parameters:
    ///   - place: the place before the first effect.
    ///   - isLive: whether to leave out the effects that have ended.
    func namesOfRuns(after place: ListPlace, isLive: Bool) throws(DatabaseError) -> [String] {
        let rows =
            isLive
            ? "\(DigestedTable.liveRuns) WHERE \(DigestedTable.run.restoredCondition)"
            : "\(DigestedTable.run.rawValue) WHERE TRUE"
        return try connection.prepare(
            "SELECT DISTINCT name FROM \(rows) AND stream BETWEEN ? AND ?", place.stream, place.last
        ).all { $0.text(0) }
    }

    /// A page of runs of one stream, which ends in the same way.
    func runPage(
        of stream: StreamID, after place: (step: Int, ordinal: Int), limit: Int
    ) throws(DatabaseError) -> [EffectRun] {
        let page = try page(statement(.runs, stream, place.step, place.ordinal, nil as String?, limit))
        if let error = page.damage.first { throw error }
        try RowOrder.check(page.runs, after: place)
        return page.runs
    }

    /// The runs of a page; the keys of all its rows; and the errors of those that are damaged.
    private func page(
        _ rows: Statement
    ) throws(DatabaseError) -> (runs: [EffectRun], keys: [(Int64, Int, Int)], damage: [DatabaseError]) {
        var (runs, keys, bytes): ([EffectRun], [(Int64, Int, Int)], Int) = ([], [], 0)
        var damaged: [(key: (Int64, Int, Int), error: DatabaseError)] = []
        try rows.forEachUntil { row throws(DatabaseError) in
            let key = (row.integer(0), Int(row.integer(1)), Int(row.integer(2)))
            keys.append(key)
            do throws(DatabaseError) {
                let run = try EffectRun(row)
                bytes += run.textBytes
                runs.append(run)
            } catch  where error.isDamagedRow {
                damaged.append((key, error))
            }
            return bytes >= StoredSteps.enough
        }
        let damage = try damaged.map { key, error throws(DatabaseError) in
            try located(error, stream: key.0, step: key.1)
        }
        return (runs, keys, damage)
    }

    /// The error of a damaged row, with its place.
    func located(_ error: DatabaseError, stream: Int64, step: Int?) throws(DatabaseError) -> DatabaseError {
        if error.place != nil { return error }
        let name = try recordedNameOfStream(stream)
        return changed(error) { $0.place = DatabaseError.Place(stream: name, step: step) }
    }

    /// What is made of each row, and the errors of those of which nothing can be made because something else is damaged.
    ///
    /// - Parameter make: makes something of several rows.
    func each<Element, Row>(
        of rows: [Element], place: (Element) -> (stream: StreamID, step: Int), damage: inout [DatabaseError],
        _ make: ([Element]) throws(DatabaseError) -> [Row]
    ) throws(DatabaseError) -> [Row] {
        do throws(DatabaseError) { return try make(rows) } catch  where error.isDamagedRow {}
        var made: [Row] = []
        for row in rows {
            do throws(DatabaseError) { made += try make([row]) } catch  where error.isDamagedRow {
                let place = place(row)
                damage.append(try located(error, stream: place.stream.rawValue, step: place.step))
            }
        }
        return made
    }

    /// Adds to runs the names of their streams.
    func named(_ runs: [EffectRun]) throws(DatabaseError) -> [(stream: String, run: EffectRun)] {
        var names: [StreamID: String] = [:]
        return try runs.map { run throws(DatabaseError) in
            if let name = names[run.stream] { return (stream: name, run: run) }
            guard let name = try nameOfStream(run.stream.rawValue) else { throw DatabaseError.runWithoutStream }
            names[run.stream] = name
            return (stream: name, run: run)
        }
    }

    /// The recorded outcomes of the entries in a range of positions, in no particular order.
    func stepRecords(at positions: ClosedRange<Int>) throws(DatabaseError) -> [StepRecord] {
        try statement(.stepRecordsAt, positions.lowerBound, positions.upperBound).all(StepRecord.init)
    }

    func nameOfStream(_ id: Int64) throws(DatabaseError) -> String? {
        try statement(.nameOfStream, id).first { row throws(DatabaseError) in
            do throws(DatabaseError) { try row.checkDigest(1, .stream) } catch {
                throw changed(error) { $0.place = DatabaseError.Place(stream: row.text(0)) }
            }
            return row.text(0)
        }
    }

    /// The name of a stream whose row can be damaged.
    func recordedNameOfStream(_ id: Int64) throws(DatabaseError) -> String? {
        try statement(.nameOfStream, id).first { $0.text(0) }
    }
}
