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
        try forEachPage(of: name, "reading the snapshots", visit) { database, place, limit, _ throws(DatabaseError) in
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
    ///   - damaged: gets the error of each that cannot be read; by default it ends the visit.
    package func forEachEffect(
        of name: String?, isLive: Bool = false, damaged: (JournalError) throws -> Void = { throw $0 },
        _ visit: ([ListedRun]) throws -> Void
    ) throws {
        try forEachPageOfRuns(of: name, .init(isLive: isLive), damaged: damaged, visit) {
            database, runs throws(DatabaseError) in
            try database.listed(runs)
        }
    }

    /// Visits those of the same effects that have one of some statuses and one of some names.
    ///
    /// - Parameters:
    ///   - name: the only stream to list; nil for all.
    ///   - statuses: the statuses.
    ///   - names: the names; empty for all.
    ///   - damaged: gets the error of each that cannot be read; by default it ends the visit.
    package func forEachEffect(
        of name: String?, with statuses: Set<EffectRun.Status>, named names: [String],
        damaged: (JournalError) throws -> Void = { throw $0 }, _ visit: ([ListedRun]) throws -> Void
    ) throws {
        let selection = try JournalDatabase.RunSelection(statuses, names)
        try forEachPageOfRuns(of: name, selection, damaged: damaged, visit) { database, runs throws(DatabaseError) in
            try database.listed(runs)
        }
    }

    /// The names of the recorded effects.
    ///
    /// - Parameters:
    ///   - name: the only stream; nil for all.
    ///   - isLive: whether to leave out the effects that have ended.
    package func effectNames(of name: String?, isLive: Bool) throws(JournalError) -> [String] {
        let stream = try name.map { name throws(JournalError) in try self.stream(name).id }
        return try read("reading the names of effects", stream: name) { database throws(DatabaseError) in
            try database.namesOfRuns(after: JournalDatabase.ListPlace(of: stream), isLive: isLive)
        }
    }

    /// The streams with openings that ended before they were stable, in the order of their creation.
    ///
    /// - Parameter name: the only stream; nil for all.
    package func crashLoops(of name: String?) throws(JournalError) -> [CrashLoop] {
        if let name { return CrashLoop(try stream(name)).map { [$0] } ?? [] }
        let streams = try read("reading the streams") { database throws(DatabaseError) in
            try database.streamsWithCrashLoops()
        }
        return streams.compactMap { CrashLoop($0) }
    }

    /// Visits the same effects in the same order, without what identifies them outside of the journal: that takes two
    /// more reads for each.
    ///
    /// - Parameters:
    ///   - name: the only stream to list; nil for all.
    ///   - step: the first step, if only one stream is listed.
    ///   - isLive: whether to leave out the effects that have ended.
    ///   - damaged: gets the error of each that cannot be read; by default it ends the visit.
    package func forEachRun(
        of name: String?, from step: Int = 0, isLive: Bool = false,
        damaged: (JournalError) throws -> Void = { throw $0 },
        _ visit: ([(stream: String, run: EffectRun)]) throws -> Void
    ) throws {
        try forEachPageOfRuns(of: name, from: step, .init(isLive: isLive), damaged: damaged, visit) {
            database, runs throws(DatabaseError) in
            try database.named(runs)
        }
    }

    private func forEachPageOfRuns<Row: Sendable>(
        of name: String?, from step: Int = 0, _ selection: JournalDatabase.RunSelection,
        damaged: (JournalError) throws -> Void, _ visit: ([Row]) throws -> Void,
        _ complete: @Sendable (JournalDatabase, [EffectRun]) throws(DatabaseError) -> [Row]
    ) throws {
        try forEachPage(of: name, from: step, "reading the effects", damaged: damaged, visit) {
            database, place, limit, damage throws(DatabaseError) in
            let runs = try database.runList(after: &place, limit: limit, selection, damage: &damage)
            return try database.each(of: runs, place: { ($0.stream, $0.step) }, damage: &damage) {
                runs throws(DatabaseError) in
                try complete(database, runs)
            }
        }
    }

    /// The recorded outcomes of the entries of all streams in a range of positions, in no particular order.
    package func stepRecords(at positions: ClosedRange<Int>) throws(JournalError) -> [StepRecord] {
        try read("reading the records of steps") { database throws(DatabaseError) in
            try database.stepRecords(at: positions)
        }
    }

    private func forEachPage<Row: Sendable>(
        of name: String?, from step: Int = 0, _ doing: String,
        damaged: (JournalError) throws -> Void = { throw $0 }, _ visit: ([Row]) throws -> Void,
        _ read:
            @Sendable (
                JournalDatabase, inout JournalDatabase.ListPlace, Int, inout [DatabaseError]
            ) throws(DatabaseError) -> [Row]
    ) throws {
        let stream = try name.map { name throws(JournalError) in try self.stream(name).id }
        var place = JournalDatabase.ListPlace(of: stream)
        if stream != nil, step > 0 { (place.step, place.ordinal) = (step - 1, .max) }
        while true {
            let (page, next, damage) = try self.read(doing, stream: name) { [place] database throws(DatabaseError) in
                var (next, damage): (JournalDatabase.ListPlace, [DatabaseError]) = (place, [])
                return (try read(database, &next, 500, &damage), next, damage)
            }
            if page.isEmpty, next == place { return }
            place = next
            if !page.isEmpty { try visit(page) }
            for error in damage { try damaged(JournalError(error, file: file, stream: name, while: doing)) }
        }
    }
}

extension JournalDatabase.RunSelection {
    /// - Parameters:
    ///   - statuses: the statuses.
    ///   - names: the names; empty for all.
    fileprivate init(_ statuses: Set<EffectRun.Status>, _ names: [String]) throws {
        let isLive = statuses.allSatisfy { !$0.isFinal }
        let isFailed = statuses == [.failed]
        self.init(isLive: isLive, isFailed: isFailed)
        let isEach = isFailed || EffectRun.Status.allCases.allSatisfy { statuses.contains($0) || isLive && $0.isFinal }
        if !isEach { self.statuses = try JSONCodec().encode(statuses.map(\.rawValue).sorted()) }
        if !names.isEmpty { self.names = try JSONCodec().encode(names.sorted()) }
    }
}
