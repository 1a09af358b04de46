/// Lists over all streams, with one page in memory at a time.
extension JournalReader {
    package struct ListedSnapshot: Sendable {
        package let stream: String
        /// Nil if the row was damaged.
        package let time: Timestamp?
        package let mark: SnapshotMark
    }

    /// Visits the snapshots, stream by stream in the order of their creation, without their states.
    ///
    /// - Parameter name: the only stream to list; nil for all.
    package func forEachSnapshot(of name: String?, _ visit: ([ListedSnapshot]) throws -> Void) throws {
        try forEachPage(of: name, "reading the snapshots", visit) { database, place, limit throws(DatabaseError) in
            try database.snapshotList(after: place, limit: limit).map { found throws(DatabaseError) in
                (place.stream, place.step) = (found.stream.rawValue, found.mark.step)
                return ListedSnapshot(
                    stream: try database.nameOfStream(place.stream) ?? "", time: found.time, mark: found.mark)
            }
        }
    }

    /// Visits the recorded effects, stream by stream in the order of their creation, and in the order of their steps.
    ///
    /// - Parameters:
    ///   - name: the only stream to list; nil for all.
    ///   - isLive: whether to leave out the effects that have ended.
    package func forEachEffect(
        of name: String?, isLive: Bool = false, _ visit: ([ListedRun]) throws -> Void
    ) throws {
        try forEachPageOfRuns(of: name, from: 0, isLive, visit) { database, runs throws(DatabaseError) in
            try database.listed(runs)
        }
    }

    /// Visits the same effects in the same order, without what identifies them outside of the journal: that takes two
    /// more reads for each.
    ///
    /// - Parameters:
    ///   - name: the only stream to list; nil for all.
    ///   - step: the first step, if only one stream is listed.
    ///   - isLive: whether to leave out the effects that have ended.
    package func forEachRun(
        of name: String?, from step: Int = 0, isLive: Bool = false,
        _ visit: ([(stream: String, run: EffectRun)]) throws -> Void
    ) throws {
        try forEachPageOfRuns(of: name, from: step, isLive, visit) { database, runs throws(DatabaseError) in
            try database.named(runs)
        }
    }

    private func forEachPageOfRuns<Row: Sendable>(
        of name: String?, from step: Int, _ isLive: Bool, _ visit: ([Row]) throws -> Void,
        _ complete: @Sendable (JournalDatabase, [EffectRun]) throws(DatabaseError) -> [Row]
    ) throws {
        try forEachPage(of: name, from: step, "reading the effects", visit) {
            database, place, limit throws(DatabaseError) in
            let runs = try database.runList(after: place, limit: limit, isLive: isLive)
            if let last = runs.last {
                (place.stream, place.step, place.ordinal) = (last.stream.rawValue, last.step, last.ordinal)
            }
            return try complete(database, runs)
        }
    }

    /// The recorded outcomes of the entries of all streams in a range of positions, in no particular order.
    package func stepRecords(at positions: ClosedRange<Int>) throws(JournalError) -> [StepRecord] {
        try read("reading the records of steps") { database throws(DatabaseError) in
            try database.stepRecords(at: positions)
        }
    }

    private func forEachPage<Row: Sendable>(
        of name: String?, from step: Int = 0, _ doing: String, _ visit: ([Row]) throws -> Void,
        _ read: @Sendable (JournalDatabase, inout JournalDatabase.ListPlace, Int) throws(DatabaseError) -> [Row]
    ) throws {
        let stream = try name.map { name throws(JournalError) in try self.stream(name).id }
        var place = JournalDatabase.ListPlace(of: stream)
        if stream != nil, step > 0 { (place.step, place.ordinal) = (step - 1, .max) }
        while true {
            let (page, next) = try self.read(doing, stream: name) { [place] database throws(DatabaseError) in
                var next = place
                return (try read(database, &next, 500), next)
            }
            if page.isEmpty { return }
            place = next
            try visit(page)
        }
    }
}
