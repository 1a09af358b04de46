import JournalStore

extension Command {
    /// `top FILE`
    static let top = Command(
        name: "top",
        summary: "Show what the app that holds a journal does at the moment.",
        discussion: """
            The app answers through the socket next to the journal. On a terminal the screen is refreshed until you \
            press Ctrl-C; otherwise each reading is written below the one before. Rates and times are those of the \
            interval before the reading.
            With -n it ends with 1 if the newest transaction found no room on the disk.
            With --prometheus it prints one reading for a scraper. `curl --unix-socket FILE-socket \
            http://localhost/metrics` prints the same.
            """,
        positionals: [.file], options: [interval, count, prometheus, OperatorClient.wait], keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let isPrometheus = arguments[prometheus]
            let others = [Flag.json.name, count.name, interval.name]
            if isPrometheus, let other = others.first(where: { arguments.options[$0] != nil }) {
                throw UsageError("'--prometheus' and '--\(other)' exclude each other.")
            }
            let source = try MetricsSource(reader, patience: OperatorClient.patience(arguments))
            guard !isPrometheus else {
                let text = try await source.metrics().prometheusText
                // A scraper gets the names as they are; on a terminal they must not act as control characters.
                if System.isTerminal(System.standardOutput) {
                    for line in text.split(separator: "\n") { try output.line(SafeText.escape(String(line))) }
                } else {
                    try output.data(Array(text.utf8))
                }
                return .fine
            }
            let seconds = arguments[interval] ?? 1
            var (left, before) = (arguments[count] ?? .max, try await source.metrics())
            let refreshes = !output.isJSON && System.isTerminal(System.standardOutput) && System.canRedraw
            while left > 0 {
                try await Task.sleep(for: .seconds(seconds))
                let now = try await source.metrics()
                let reading = TopReading(file: source.file, before: before, now: now)
                if output.isJSON {
                    try output.object(reading, keys)
                } else {
                    let screen = refreshes ? System.screenSize(System.standardOutput) : nil
                    if refreshes { try output.data(Array("\u{1B}[H\u{1B}[2J".utf8)) }
                    try output.properties(reading.rows(atMost: screen.map { $0.rows - 1 }))
                    if !refreshes { try output.line("") }
                }
                try output.flush()
                (left, before) = (left - 1, now)
            }
            return before.isDiskFull ? .failed : .fine
        })

    private static let interval = Option<Int>.seconds("interval", help: "The time between readings; 1 by default.")
    private static let count = Option<Int>.count("count", short: "n", "N", help: "Show N readings, then end.")
    private static let prometheus = Flag("prometheus", help: "Print the metrics as text for Prometheus.")

    private static let keys: [Key<TopReading>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("time", "when this was read") { .text($0.now.time.description) },
        Key("process", "the ID of the process that holds the journal") { .number($0.now.process) },
        Key("since", "when it opened the journal") { .text($0.now.since.description) },
        Key("dispatchesPerSecond", "dispatched entries") { .number($0.rate(\.dispatched)) },
        Key("entriesPerSecond", "all entries: also those of effects, restarts and other machines") {
            .number($0.rate(\.entries))
        },
        Key("commitsPerSecond", "transactions") { .number($0.rate(\.commits)) },
        Key("failedCommits", "transactions that failed since the journal was opened") {
            .number($0.now.failedCommits)
        },
        Key("isDiskFull", "whether the newest transaction found no room") { .bool($0.now.isDiskFull) },
        Key(
            "commitP50Microseconds",
            "half of the commits took at most that long; null if it is more than a second or there were none"
        ) {
            .number($0.commitTimes.quantile(0.5))
        },
        Key("commitP99Microseconds", "99 % of the commits took at most that long; null likewise") {
            .number($0.commitTimes.quantile(0.99))
        },
        Key("waitingBatches", "batches that wait for the next transaction") { .number($0.now.waitingBatches) },
        Key("openStreams", "streams that are open") { .number($0.now.openStreams) },
        Key("liveEffects", "effects that have not ended, by status") { reading in
            .object(reading.effects.map { JSON.Member(key: $0.status, value: .number($0.count)) })
        },
        Key("queues", "the longest queues: stream, queue, waiting") { reading in
            .list(
                reading.now.queues.map { queue in
                    .object([
                        JSON.Member(key: "stream", value: .text(queue.stream)),
                        JSON.Member(key: "queue", value: StoredJSON.orText(queue.queue)),
                        JSON.Member(key: "waiting", value: .number(queue.waiting)),
                    ])
                })
        },
        Key("walBytes", "the size of the WAL") { .number($0.now.walBytes) },
        Key("databaseBytes", "the size of the database") { .number($0.now.databaseBytes) },
    ]
}
