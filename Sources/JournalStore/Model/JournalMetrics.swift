/// What a journal has done since it was opened, and what it does at the moment.
///
/// The numbers grow from the opening on; a rate is the difference of two readings. ``prometheusText`` has them in the
/// text format of Prometheus.
public struct JournalMetrics: Codable, Hashable, Sendable {
    /// When the journal was opened.
    public var since: Timestamp
    /// When this was read.
    public var time: Timestamp
    /// The process ID.
    public var process: Int

    /// Entries that the app dispatched.
    public var dispatched = 0
    /// All entries: also those of effects, restarts and other machines.
    public var entries = 0
    /// Transactions that were committed.
    public var commits = 0
    /// Transactions that failed.
    public var failedCommits = 0
    /// How long the commits took, from `BEGIN` to the end of `COMMIT`.
    public var commitTimes = DurationHistogram()

    /// Batches that wait for the next transaction.
    public var waitingBatches = 0
    /// Streams that are open.
    public var openStreams = 0
    /// Effects that have not ended, by status.
    public var effects: [String: Int] = [:]
    /// The queues in which most effects wait, at most twenty, the longest first.
    public var queues: [Queue] = []
    /// The size of the WAL, in bytes.
    public var walBytes: Int64 = 0
    /// The size of the database, in bytes.
    public var databaseBytes: Int64 = 0

    /// A queue of a stream.
    public struct Queue: Codable, Hashable, Sendable {
        /// The stream.
        public var stream: String
        /// The queue, as the journal records it.
        public var queue: String
        /// How many of its effects wait.
        public var waiting: Int
    }

    static let mostQueues = 20

    package init(since: Timestamp, time: Timestamp, process: Int) {
        (self.since, self.time, self.process) = (since, time, process)
    }
}

/// How many durations lie below each of some limits.
public struct DurationHistogram: Codable, Hashable, Sendable {
    /// The limits in microseconds. Durations above the last one are counted in the last element of ``counts``.
    public static let limits = [
        10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
    ]

    /// How many durations are at most each limit and above the one before it; then those above all limits.
    public private(set) var counts = [Int](repeating: 0, count: limits.count + 1)
    /// The sum of all durations, in microseconds.
    public private(set) var sum = 0

    /// The number of durations.
    public var count: Int { counts.reduce(0, &+) }

    /// An empty histogram.
    public init() {}

    /// Decodes a histogram. What is missing counts as zero.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        counts = try values.decodeIfPresent([Int].self, forKey: .counts) ?? counts
        sum = try values.decodeIfPresent(Int.self, forKey: .sum) ?? sum
    }

    mutating func add(microseconds: Int) {
        let microseconds = max(0, microseconds)
        // Commits take tens or thousands of microseconds, so a search from the start ends soon.
        counts[Self.limits.firstIndex { microseconds <= $0 } ?? Self.limits.count] += 1
        sum &+= microseconds
    }

    /// The durations of this histogram that an earlier one of the same journal does not have.
    package func since(_ earlier: DurationHistogram) -> DurationHistogram {
        guard earlier.counts.count == counts.count, counts.count == Self.limits.count + 1 else { return self }
        var rest = self
        for index in counts.indices { rest.counts[index] &-= earlier.counts[index] }
        rest.sum &-= earlier.sum
        return rest
    }

    /// The limit below which this part of the durations lies, in microseconds; nil if there are none, or it is above all limits.
    public func quantile(_ part: Double) -> Int? {
        let count = count
        guard count > 0 else { return nil }
        var seen = 0
        for (limit, found) in zip(Self.limits, counts) {
            seen &+= found
            if Double(seen) >= part * Double(count) { return limit }
        }
        return nil
    }
}

extension JournalMetrics {
    /// Decodes metrics, perhaps of an app with another version of the library. A number that it does not have is zero.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ neutral: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? neutral
        }
        self.init(
            since: try values.decode(Timestamp.self, forKey: .since),
            time: try values.decode(Timestamp.self, forKey: .time),
            process: try values.decode(Int.self, forKey: .process))
        dispatched = try value(.dispatched, dispatched)
        entries = try value(.entries, entries)
        commits = try value(.commits, commits)
        failedCommits = try value(.failedCommits, failedCommits)
        commitTimes = try value(.commitTimes, commitTimes)
        waitingBatches = try value(.waitingBatches, waitingBatches)
        openStreams = try value(.openStreams, openStreams)
        effects = try value(.effects, effects)
        queues = try value(.queues, queues)
        walBytes = try value(.walBytes, walBytes)
        databaseBytes = try value(.databaseBytes, databaseBytes)
    }
}

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
            effects.sorted { $0.key < $1.key }.map { (label(("status", $0.key)), "\($0.value)") })
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
