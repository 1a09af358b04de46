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
    /// Whether the newest transaction found no room on the disk. The journal has not stopped, and writes again once there
    /// is room.
    public var isDiskFull = false

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
        /// The queue as the journal records it, the name of its type and its value: `{"Shop.Mails":{}}`.
        public var queue: String
        /// How many of its effects wait.
        public var waiting: Int
    }

    static let mostQueues = 20

    package init(since: Timestamp, time: Timestamp, process: Int) {
        (self.since, self.time, self.process) = (since, time, process)
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
        isDiskFull = try value(.isDiskFull, isDiskFull)
        waitingBatches = try value(.waitingBatches, waitingBatches)
        openStreams = try value(.openStreams, openStreams)
        effects = try value(.effects, effects)
        queues = try value(.queues, queues)
        walBytes = try value(.walBytes, walBytes)
        databaseBytes = try value(.databaseBytes, databaseBytes)
    }
}
