// What identifies the journal, and its dispatches and effects outside of it, and what became of steps.

extension JournalReader {
    /// The ID of the journal, which its copies have too; nil before the first opening for writing, or if the row that
    /// has it is damaged.
    package func journalID() throws(JournalError) -> [UInt8]? {
        do throws(JournalError) {
            return try read("reading the last writer") { database throws(DatabaseError) in
                try database.writer()?.journal
            }
        } catch  where error.code == .corrupt {
            return nil
        }
    }

    /// Adds to runs of a stream what identifies them.
    package func listed(_ runs: [EffectRun], of name: String) throws(JournalError) -> [ListedRun] {
        try read("reading the identities of effects", stream: name) { database throws(DatabaseError) in
            try database.listed(runs)
        }
    }

    /// The dispatch ID of a step, if the caller gave one.
    package func dispatchID(of name: String, step: Int) throws(JournalError) -> String? {
        try read("reading the dispatch IDs", of: name, step: step) { database, id throws(DatabaseError) in
            try database.dispatchID(of: id, step: step)
        }
    }

    /// The dispatches with an ID, in the order of the creation of their streams.
    ///
    /// - Parameter damaged: gets the error of each that cannot be read; by default it ends the search.
    package func dispatches(
        withID id: String, damaged: (JournalError) throws -> Void = { throw $0 }
    ) throws -> [(stream: String, step: Int)] {
        let doing = "looking for a dispatch ID"
        let (found, damage) = try read(doing) { database throws(DatabaseError) in
            var damage: [DatabaseError] = []
            let found = try database.dispatches(withID: id, damage: &damage)
            let named = try database.each(of: found, place: { $0 }, damage: &damage) { rows throws(DatabaseError) in
                try rows.map { row throws(DatabaseError) in
                    (stream: try database.nameOfStream(row.stream.rawValue) ?? "", step: row.step)
                }
            }
            return (named, damage)
        }
        for error in damage { try damaged(JournalError(error, file: file, while: doing)) }
        return found
    }

    /// The step with which a stream has received a message; nil if it has not, or if the entry was pruned.
    ///
    /// - Parameters:
    ///   - message: the key of the effect that sends it.
    ///   - sender: the stream of that effect.
    ///   - receiver: the stream that it is for.
    package func arrival(
        of message: RunKey, from sender: String, in receiver: String
    ) throws(JournalError) -> Int? {
        try read("looking for a message", stream: receiver) { database throws(DatabaseError) -> Int? in
            guard let from = try database.stream(named: sender), let to = try database.stream(named: receiver) else {
                return nil
            }
            return try database.entry(in: to.id, from: from.id, step: message.step, run: message.ordinal)?.step
        }
    }

    /// What became of the steps of entries, in the order of the entries.
    package func outcomes(of entries: [Entry]) throws(JournalError) -> [StepOutcome] {
        guard !entries.isEmpty else { return [] }
        let streams = Dictionary(grouping: entries) { ByteName($0.stream) }
        let found = try read("reading the outcomes of steps", stream: streams.count == 1 ? entries[0].stream : nil) {
            database throws(DatabaseError) in
            var found: [ByteName: [Int: StepOutcome]] = [:]
            for (name, entries) in streams {
                found[name] = try database.outcomes(of: entries[0].stream, entries.map(\.step))
            }
            return found
        }
        return entries.map { found[ByteName($0.stream)]?[$0.step] ?? StepOutcome() }
    }

    /// Visits the interventions, oldest first.
    ///
    /// - Parameters:
    ///   - name: the only stream; nil for all.
    ///   - number: what an earlier call returned, to visit only later ones.
    ///   - damaged: gets the error of each that cannot be read; by default it ends the visit.
    /// - Returns: the number of the newest one.
    @discardableResult
    package func forEachIntervention(
        of name: String?, after number: Int = 0, damaged: (JournalError) throws -> Void = { throw $0 },
        _ visit: ([ListedIntervention]) throws -> Void
    ) throws -> Int {
        let stream = try name.map { name throws(JournalError) in try self.stream(name).id }
        var last = number
        while true {
            let doing = "reading interventions"
            let (page, next, damage) = try read(doing, stream: name) {
                [last] database throws(DatabaseError) in
                var damage: [DatabaseError] = []
                let found = try database.interventionList(of: stream, after: last, limit: 500, damage: &damage)
                return (found.page, found.last, damage)
            }
            if next == last { return last }
            last = next
            if !page.isEmpty { try visit(page) }
            for error in damage { try damaged(JournalError(error, file: file, stream: name, while: doing)) }
        }
    }

    /// The openings by apps after one, oldest first.
    package func openings(after number: Int = 0) throws(JournalError) -> [JournalOpening] {
        try read("reading the openings") { database throws(DatabaseError) in try database.openings(after: number) }
    }
}
