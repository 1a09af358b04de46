import JournalStore

/// Asks the process that holds a journal for its metrics.
struct MetricsSource {
    let file: String
    private let client: OperatorClient

    /// - Throws: ``JournalError`` if no process holds the journal.
    init(_ reader: JournalReader, patience: Duration) throws(JournalError) {
        guard let file = reader.file, let holder = try JournalHolder(of: file) else {
            // Under the name that it had before.
            if let error = try? reader.missingEntries(), error.code == .inUse { throw error }
            throw JournalError(
                .notInThatState, "No process holds the journal.", advice: "Start the app; `info` shows the file.",
                file: reader.file)
        }
        self.file = file
        client = OperatorClient(file: file, holder: holder, patience: patience)
    }

    func metrics() async throws(JournalError) -> JournalMetrics {
        guard let metrics = try await client.answer(to: nil)?.metrics else {
            if try JournalHolder(of: file) != nil { throw client.notListening }
            throw JournalError(
                .notInThatState, "Process \(client.holder.process) has released the journal.",
                advice: "Start the app again.", file: file)
        }
        return metrics
    }
}

/// Two readings of a journal's metrics, and what happened between them.
struct TopReading: Sendable {
    let file: String
    let before: JournalMetrics
    let now: JournalMetrics

    init(file: String, before: JournalMetrics, now: JournalMetrics) {
        (self.file, self.now) = (file, now)
        // Another opening counts from its own beginning.
        let isSameOpening = before.process == now.process && before.since == now.since
        self.before = isSameOpening ? before : JournalMetrics(since: now.since, time: now.since, process: now.process)
    }

    /// How much a number grew each second.
    func rate(_ number: KeyPath<JournalMetrics, Int>) -> Int {
        let micros = now.time.microseconds.subtractingReportingOverflow(before.time.microseconds).partialValue
        guard micros > 0 else { return 0 }
        let grown = now[keyPath: number].subtractingReportingOverflow(before[keyPath: number]).partialValue
        let perSecond = (Double(grown) * 1_000_000 / Double(micros)).rounded()
        return grown > 0 ? Int(exactly: perSecond) ?? .max : 0
    }

    var commitTimes: DurationHistogram { now.commitTimes.since(before.commitTimes) }

    /// In the order of an effect's life.
    var effects: [(status: String, count: Int)] {
        EffectRun.Status.allCases.compactMap { status in
            now.effects[status.rawValue].map { (status.rawValue, $0) }
        }
    }

    /// For people.
    ///
    /// - Parameter most: how many rows there is room for. Those of queues are left out first.
    func rows(atMost most: Int?) -> [(label: String, text: String)] {
        func within(_ part: Double) -> String {
            guard let micros = commitTimes.quantile(part) else { return "in more than 1 s" }
            return "within " + (micros < 1_000 ? "\(micros) µs" : "\(micros / 1_000) ms")
        }
        let times = commitTimes.count > 0 ? "half \(within(0.5)), 99 % \(within(0.99))" : "none since the last reading"
        var rows = [
            (label: "Journal", text: file),
            ("Process", "\(now.process), for \(Quantity.age(since: now.since, now: now.time))"),
            (
                "Entries",
                "\(Quantity.grouped(rate(\.entries)))/s, \(Quantity.grouped(rate(\.dispatched)))/s of them dispatched"
            ),
            ("Commits", "\(Quantity.grouped(rate(\.commits)))/s; \(times)"),
            ("Waiting", Quantity.counted(now.waitingBatches, "batch", "batches")),
            ("Streams", "\(Quantity.grouped(now.openStreams)) open"),
            (
                "Effects",
                effects.isEmpty
                    ? "none" : effects.map { "\(Quantity.grouped($0.count)) \($0.status)" }.joined(separator: ", ")
            ),
        ]
        var files = [
            (label: "WAL", text: Quantity.bytes(now.walBytes)), ("Database", Quantity.bytes(now.databaseBytes)),
        ]
        if now.failedCommits > 0 || now.isDiskFull {
            let failed = Quantity.counted(now.failedCommits, "commit", "commits")
            files.insert(("Failed", failed + (now.isDiskFull ? ", and the disk is full" : "")), at: 0)
        }
        let room = most.map { max(0, $0 - rows.count - files.count) } ?? .max
        for queue in now.queues.prefix(min(room, 5)) {
            rows.append(("Queue", "\(Quantity.grouped(queue.waiting)) waiting in \(queue.queue) of \(queue.stream)"))
        }
        return rows + files
    }
}
