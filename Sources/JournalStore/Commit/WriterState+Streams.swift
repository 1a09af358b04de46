/// Opening and closing streams.
extension WriterState {
    /// Opens streams. Those that do not exist are created in one transaction; opening an existing one writes nothing.
    /// If one of them cannot be opened, each is opened alone.
    mutating func open(_ openings: [StreamOpening]) -> [Result<StreamOpening.Opened, JournalError>] {
        do throws(JournalError) {
            let found = try findOrCreate(openings.map { ($0.name, $0.machine) })
            return zip(openings, found).map { opening, info in
                Result { () throws(JournalError) in try open(info, opening) }
            }
        } catch {
            // What only one of them causes must not fail the others.
            if openings.count > 1, !error.isTransient, !error.isFinal { return openings.flatMap { open([$0]) } }
            return openings.map { opening in
                .failure(changed(error) { $0.stream = $0.stream ?? opening.name })
            }
        }
    }

    private mutating func open(
        _ info: StreamInfo, _ opening: StreamOpening
    ) throws(JournalError) -> StreamOpening.Opened {
        try check(info, opening.machine, "Open it with its own machine, or use another name for the stream.")
        guard streams[info.id] == nil else {
            throw location(info.name).error(
                .streamOpen, "The stream is open already.", advice: "Share the one that is open, or close it first.")
        }
        let open = OpenStream(info, changesByOthers, isLog: opening.isLog)
        streams[info.id] = open
        return (open.kept, open.watermark, arrived.removeValue(forKey: info.id))
    }

    private func check(_ info: StreamInfo, _ machine: String, _ advice: String) throws(JournalError) {
        try location(info.name).check(machine, isMachineOfStream: info.machine, advice: advice)
    }

    /// Finds streams by their names, and creates those that do not exist.
    private mutating func findOrCreate(
        _ wanted: [(name: String, machine: String)]
    ) throws(JournalError) -> [StreamInfo] {
        let names = wanted.map(\.name)
        let doing = names.count == 1 ? "opening stream '\(names[0])'" : "opening \(names.count) streams"
        func find(in database: JournalDatabase) throws(DatabaseError) -> [StreamInfo?] {
            try names.map { name throws(DatabaseError) in try database.stream(named: name) }
        }
        let database = try usable()
        let found: [StreamInfo?]
        do throws(DatabaseError) { found = try find(in: database) } catch {
            throw failed(error, while: doing, isTransaction: false)
        }
        if !found.contains(nil) { return found.compactMap(\.self) }
        for (new, stream) in zip(wanted, found) where stream == nil {
            try NameRule.check(
                new.name, of: "The name of the stream", advice: "Give it one.", file: file, stream: new.name)
            try NameRule.check(
                new.machine, of: "The name of the machine", advice: "Give it one.", file: file, stream: new.name)
        }
        let (created, streamSeed) = (options.wallClock(), options.streamSeed)
        let streamsAreSound = streamsAreSound
        let infos = try transaction(while: doing) { database, _ throws(DatabaseError) in
            // A damaged index hides a stream, which would begin anew.
            if !streamsAreSound, let problem = try database.integrityProblems(of: "stream").first {
                throw .damagedRow(problem)
            }
            for (name, machine) in wanted where try database.stream(named: name) == nil {
                let seed = streamSeed()
                try database.insertStream(
                    name: name, machine: machine, created: created, seed: seed,
                    genesis: .genesis(name: name, machine: machine, seed: seed))
            }
            let infos = try find(in: database).compactMap(\.self)
            guard infos.count == wanted.count else { throw .damagedRow("a stream is not there") }
            return infos
        }
        self.streamsAreSound = true
        return infos
    }

    /// The results of delivering messages.
    struct Delivered {
        /// What became of each message, in their order.
        var results: [Result<Handover.Arrival, JournalError>] = []
        /// The newest position; nil if nothing was appended.
        var newest: Int?
    }

    /// Appends messages from other machines to streams that no store has open, in one transaction: the next opening of
    /// each stream reduces them. If one of the streams cannot be found or created, each message is delivered alone.
    mutating func deliver(_ deliveries: [Delivery]) -> Delivered {
        do throws(JournalError) {
            let found = try findOrCreate(deliveries.map { ($0.message.stream, $0.message.machine) })
            return deliver(deliveries, to: found)
        } catch {
            guard deliveries.count > 1, !error.isTransient, !error.isFinal else {
                return Delivered(results: deliveries.map { _ in .failure(error) })
            }
            return deliveries.reduce(into: Delivered()) { all, delivery in
                let alone = deliver([delivery])
                all.results += alone.results
                all.newest = alone.newest ?? all.newest
            }
        }
    }

    private mutating func deliver(_ deliveries: [Delivery], to receivers: [StreamInfo]) -> Delivered {
        var delivered = Delivered()
        var (places, submissions): ([Int], [Submission]) = ([], [])
        var closed: [StreamID] = []
        defer { for id in closed { streams[id] = nil } }
        for (delivery, info) in zip(deliveries, receivers) {
            do throws(JournalError) {
                try check(info, delivery.message.machine, Delivery.adviceForOtherMachine)
            } catch {
                delivered.results.append(.failure(error))
                continue
            }
            // A store that takes no messages any more can still be closing.
            if streams[info.id] == nil {
                streams[info.id] = OpenStream(info, changesByOthers)
                closed.append(info.id)
            }
            places.append(delivered.results.count)
            submissions.append(Submission(delivery.batch(for: info.id)) { _ in })
            delivered.results.append(.success(.repeated))
        }
        let committed = commit(submissions)
        delivered.newest = committed.lastPosition
        for (index, place) in places.enumerated() {
            delivered.results[place] = committed[index].map { entries in
                guard let step = entries.first(where: { $0.stamp != nil })?.step else { return .repeated }
                let stream = receivers[place].id
                if arrived[stream] == nil { arrived[stream] = step }
                return .new(isLog: streams[stream]?.isLog == true)
            }
        }
        return delivered
    }

    /// - Returns: the error if the journal is closed or cannot write.
    mutating func close(_ closing: [StreamID]) -> Result<Void, JournalError> {
        for id in closing { streams[id] = nil }
        return Result { () throws(JournalError) in _ = try usable() }
    }
}
