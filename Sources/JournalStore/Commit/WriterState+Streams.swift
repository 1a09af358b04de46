/// Opening and closing streams.
extension WriterState {
    mutating func openStream(
        _ name: String, machine: String
    ) throws(JournalError) -> (info: StreamInfo, watermark: SettlementWatermark) {
        let info = try stream(name, machine: machine, marksOpen: true)
        guard streams[info.id] == nil else {
            throw location(name).error(
                .streamOpen, "The stream is open already.", advice: "Share the one that is open, or close it first.")
        }
        let open = OpenStream(info)
        streams[info.id] = open
        return (info, open.watermark)
    }

    /// Finds or creates a stream of a machine.
    private mutating func stream(_ name: String, machine: String, marksOpen: Bool) throws(JournalError) -> StreamInfo {
        let epoch = epoch
        let (created, streamSeed) = (options.clock(), options.streamSeed)
        let streamsAreSound = streamsAreSound
        let (info, isNew) = try transaction(while: "opening stream '\(name)'") { database, _ throws(DatabaseError) in
            let isNew = try database.stream(named: name) == nil
            if isNew {
                // A damaged index hides a stream, which would begin anew.
                if !streamsAreSound, let problem = try database.integrityProblems(of: "stream").first {
                    throw .damagedRow(problem)
                }
                let seed = streamSeed()
                try database.insertStream(
                    name: name, machine: machine, created: created, seed: seed,
                    genesis: .genesis(name: name, machine: machine, seed: seed), epoch: epoch)
            }
            guard let info = try database.stream(named: name) else { throw .damagedRow("the stream is not there") }
            if info.machine == machine, marksOpen { try database.markOpen(info.id, epoch: epoch) }
            return (info, isNew)
        }
        if isNew { self.streamsAreSound = true }
        guard info.machine == machine else {
            throw location(name).error(
                .otherMachine, "The stream belongs to the machine '\(info.machine)', not to '\(machine)'.",
                advice: "Open it with its own machine, or use another name for the stream.")
        }
        return info
    }

    /// Appends a message from another machine to a stream that no store has open: its next opening reduces it.
    ///
    /// - Returns: the position of the entry; nil if the message was delivered before.
    mutating func deliver(_ delivery: Delivery) throws(JournalError) -> Int? {
        guard !delivery.message.stream.isEmpty else {
            throw JournalError(.badArgument, "The message has no stream name.", advice: "Give it one.", file: file)
        }
        let info = try stream(delivery.message.stream, machine: delivery.message.machine, marksOpen: false)
        let isOpen = streams[info.id] != nil
        if !isOpen { streams[info.id] = OpenStream(info) }
        defer { if !isOpen { streams[info.id] = nil } }
        let committed = commit([Submission(delivery.batch(for: info.id)) { _ in }])
        _ = try committed[0].get()
        return committed.lastPosition
    }

    mutating func closeStream(_ id: StreamID) {
        streams[id] = nil
    }
}

extension WriterState.OpenStream {
    fileprivate init(_ info: StreamInfo) {
        name = info.name
        head = WriterState.Head(step: info.headStep, digest: info.headDigest)
        records = info.records
        watermark = SettlementWatermark(info.watermark)
    }
}
