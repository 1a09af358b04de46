// Finds entries and effects by the texts that identify them outside of the journal, and the texts of entries and
// effects.

extension JournalDatabase {
    /// Adds to runs what identifies them.
    ///
    /// - Parameter runs: ordered by stream.
    func listed(_ runs: [EffectRun]) throws(DatabaseError) -> [ListedRun] {
        var listed: [ListedRun] = []
        while listed.count < runs.count {
            let id = runs[listed.count].stream
            listed += try identified(runs[listed.count...].prefix { $0.stream == id }, of: id)
        }
        return listed
    }

    private func identified(_ runs: ArraySlice<EffectRun>, of id: StreamID) throws(DatabaseError) -> [ListedRun] {
        guard let stream = try streams(after: StreamID(rawValue: id.rawValue - 1), limit: 1).first, stream.id == id
        else { throw .runWithoutStream }
        // An old root can be far from the others, so each is looked up by itself.
        var ids: [Int: String] = [:]
        for root in Set(runs.map(\.rootStep)).sorted() { ids[root] = try dispatchID(of: id, step: root) }
        return try runs.map { run throws(DatabaseError) in
            let stamp = if let entry = run.entry { entry } else { try stamp(of: stream, at: run.step) }
            return ListedRun(
                stream: stream.name, run: run, committed: stamp?.time,
                idempotencyKey: stamp.map { stamp in
                    Seed(stream: stream.seed(at: run.step), entry: stamp.digest).idempotencyKey(of: run.identity)
                },
                dispatchID: ids[run.rootStep])
        }
    }

    /// The time and digest of a step; nil if its entry was pruned.
    ///
    /// - Throws: also if the entry does not have its digest: keys that are derived from it would be those of no effect.
    private func stamp(of stream: StreamInfo, at step: Int) throws(DatabaseError) -> Appended.Stamp? {
        guard step > 0 else { return stream.birth }
        return try soundLink(of: stream, at: step).map { Appended.Stamp(time: $0.time, digest: $0.digest) }
    }

    /// The dispatch ID of a step; nil if it has none.
    func dispatchID(of stream: StreamID, step: Int) throws(DatabaseError) -> String? {
        try statement(.dispatchIDOfStep, stream, step).first { row throws(DatabaseError) in
            try row.checkDigest(4, .dispatchID)
            return row.text(1)
        }
    }

    /// The dispatches with an ID, in the order of the creation of their streams.
    ///
    /// - Parameter damage: gets what is wrong with each whose row is damaged.
    func dispatches(
        withID id: String, damage: inout [DatabaseError]
    ) throws(DatabaseError) -> [(stream: StreamID, step: Int)] {
        var found: [(stream: StreamID, step: Int)] = []
        var damaged: [(stream: Int64, step: Int, error: DatabaseError)] = []
        try statement(.dispatchesByID, id).forEach { row throws(DatabaseError) in
            do throws(DatabaseError) {
                try row.checkDigest(4, .dispatchID)
                found.append((try row.stream(0), try row.step(2)))
            } catch  where error.isDamagedRow {
                damaged.append((row.integer(0), Int(row.integer(2)), error))
            }
        }
        for row in damaged { damage.append(try located(row.error, stream: row.stream, step: row.step)) }
        return found
    }

    /// One page of the interventions after one, oldest first, and the number of the last one.
    ///
    /// - Parameters:
    ///   - stream: the only stream; nil for all.
    ///   - damage: gets what is wrong with each that cannot be read. The page goes on after it.
    func interventionList(
        of stream: StreamID?, after last: Int, limit: Int, damage: inout [DatabaseError]
    ) throws(DatabaseError) -> (page: [ListedIntervention], last: Int) {
        var number = last
        var found: [(stream: StreamID, intervention: Intervention)] = []
        var damaged: [(stream: Int64, step: Int, error: DatabaseError)] = []
        let rows =
            if let stream {
                try statement(.interventionListOfStream, stream, last, limit)
            } else {
                try statement(.interventionList, last, limit)
            }
        try rows.forEach { row throws(DatabaseError) in
            let next = Int(row.integer(0))
            try RowOrder.check([number, next], of: ("interventions", "numbers"))
            number = next
            do throws(DatabaseError) {
                _ = try row.number(0, StoredRange.count, "the number of an intervention")
                found.append((try row.stream(2), try Intervention(row)))
            } catch
                where error.isDamagedRow
            {
                damaged.append((row.integer(2), Int(row.integer(3)), error))
            }
        }
        for row in damaged { damage.append(try located(row.error, stream: row.stream, step: row.step)) }
        let page = try each(of: found, place: { ($0.stream, $0.intervention.step) }, damage: &damage) {
            rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in try listed(row.intervention, of: row.stream) }
        }
        return (page, number)
    }

    private func listed(
        _ intervention: Intervention, of stream: StreamID
    ) throws(DatabaseError) -> ListedIntervention {
        let key = intervention.ordinal.map { RunKey(step: intervention.step, ordinal: $0) }
        let entry =
            try key != nil ? nil : entries(of: stream, from: intervention.step, limit: 1, backwards: false).first
        return ListedIntervention(
            stream: try nameOfStream(stream.rawValue) ?? "", intervention: intervention,
            effect: try key.flatMap { key throws(DatabaseError) in try run(of: stream, key)?.name },
            action: entry.flatMap { $0.step == intervention.step ? $0.action : nil })
    }
}
