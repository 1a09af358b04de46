extension JournalMetrics {
    /// The metrics in the text format of Prometheus.
    public var prometheusText: String {
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: String)]) {
            lines.append("# HELP journal_\(name) \(help)")
            lines.append("# TYPE journal_\(name) \(kind)")
            for (labels, value) in values { lines.append("journal_\(name)\(labels) \(value)") }
        }
        func label(_ labels: (name: String, value: String)...) -> String {
            "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        func escaped(_ value: String) -> String {
            // By scalars: "\r\n" is one character.
            value.unicodeScalars.map { scalar in
                switch scalar {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(scalar)
                }
            }.joined()
        }
        add("dispatched_total", "counter", "Entries that the app dispatched.", [("", "\(dispatched)")])
        add("entries_total", "counter", "All entries.", [("", "\(entries)")])
        add("failed_commits_total", "counter", "Transactions that failed.", [("", "\(failedCommits)")])
        add("disk_full", "gauge", "1 if the newest transaction found no room.", [("", isDiskFull ? "1" : "0")])
        var below = 0
        var buckets: [(labels: String, value: String)] = []
        for (limit, count) in zip(DurationHistogram.limits, commitTimes.counts) {
            below &+= count
            buckets.append(("_bucket" + label(("le", "\(Double(limit) / 1_000_000)")), "\(below)"))
        }
        buckets.append(("_bucket" + label(("le", "+Inf")), "\(commitTimes.count)"))
        buckets.append(("_sum", "\(Double(commitTimes.sum) / 1_000_000)"))
        buckets.append(("_count", "\(commitTimes.count)"))
        add("commit_seconds", "histogram", "How long commits took.", buckets)
        add("waiting_batches", "gauge", "Batches that wait for the next transaction.", [("", "\(waitingBatches)")])
        add("open_streams", "gauge", "Streams that are open.", [("", "\(openStreams)")])
        add(
            "live_effects", "gauge", "Effects that have not ended, by status.",
            // Also those without any: a series that is missing is not zero.
            EffectRun.Status.allCases.filter { !$0.isFinal }.map(\.rawValue).sorted().map { status in
                (label(("status", status)), "\(effects[status, default: 0])")
            })
        add(
            "queued_effects", "gauge", "Effects that wait in the longest queues.",
            queues.map { (label(("stream", $0.stream), ("queue", $0.queue)), "\($0.waiting)") })
        add("wal_bytes", "gauge", "The size of the WAL.", [("", "\(walBytes)")])
        add("database_bytes", "gauge", "The size of the database.", [("", "\(databaseBytes)")])
        add(
            "opened_timestamp_seconds", "gauge", "When the journal was opened.",
            [("", "\(Double(since.microseconds) / 1_000_000)")])
        return lines.joined(separator: "\n") + "\n"
    }
}
