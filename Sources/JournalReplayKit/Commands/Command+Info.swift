import JournalStore

extension Command {
    /// `info FILE`
    static let info = Command(
        name: "info",
        summary: "Show the size and the contents of a journal, and which process writes to it.",
        discussion: "The counts cover what is in the file now, without the entries that were pruned.",
        positionals: [.file],
        keys: keys.map(\.row),
        work: .reading { _, reader, output in
            var subject = Subject(file: reader.file ?? "", statistics: try reader.statistics())
            do throws(JournalError) {
                if subject.statistics.writer == nil { _ = try JournalHolder(of: subject.file) }
            } catch {
                subject.whyWriterIsUnknown = error.message
            }
            guard !output.isJSON else {
                try output.object(subject, keys)
                return .fine
            }
            try output.properties(lines(subject))
            return .fine
        })

    private struct Subject {
        var file: String
        var statistics: JournalStatistics
        var whyWriterIsUnknown: String?
    }

    private static let keys: [Key<Subject>] = [
        Key("file", "its path, absolute and without links") { .text($0.file) },
        Key("schemaVersion", "the version of its schema") { .number($0.statistics.schemaVersion) },
        Key("sqliteVersion", "the SQLite library that reads it") { .text($0.statistics.sqliteVersion) },
        Key("sqliteHasWALFix", "whether that library has the fix of 3.51.3 for the write-ahead log") {
            .bool($0.statistics.sqliteHasWALFix)
        },
        Key("databaseBytes", "the size of the database file") { .number($0.statistics.databaseBytes) },
        Key("walBytes", "the size of the write-ahead log beside it") { .number($0.statistics.walBytes) },
        Key("streams", "the number of streams") { .number($0.statistics.counts.streams) },
        Key("entries", "the number of entries") { .number($0.statistics.counts.entries) },
        Key("snapshots", "the number of snapshots") { .number($0.statistics.counts.snapshots) },
        Key("liveEffects", "the number of effects that have not ended") { .number($0.statistics.counts.liveRuns) },
        Key("failedEffects", "the number of effects that have failed") { .number($0.statistics.counts.failedRuns) },
        Key("writer", "the process that writes to it; null if none does, or if that is not known") {
            .text($0.statistics.writer?.description)
        },
        Key("writerUnknown", "why it is not known whether a process writes to it; null if it is known") {
            .text($0.whyWriterIsUnknown)
        },
    ]

    private static func lines(_ subject: Subject) -> [(label: String, text: String)] {
        let statistics = subject.statistics
        let counts = statistics.counts
        // https://www.sqlite.org/wal.html#walresetbug
        let fix =
            statistics.sqliteHasWALFix
            ? "with the fix of 3.51.3 for the write-ahead log"
            : "without the fix of 3.51.3 for the write-ahead log: if another program writes while an app has the "
                + "journal open, the file can be damaged"
        return [
            ("File", subject.file),
            ("Schema", "version \(statistics.schemaVersion)"),
            ("SQLite", "\(statistics.sqliteVersion), \(fix)"),
            ("Database", Quantity.bytes(statistics.databaseBytes)),
            ("WAL", Quantity.bytes(statistics.walBytes)),
            ("Streams", Quantity.grouped(counts.streams)),
            ("Entries", Quantity.grouped(counts.entries)),
            ("Snapshots", Quantity.grouped(counts.snapshots)),
            ("Live effects", Quantity.grouped(counts.liveRuns)),
            ("Failed effects", Quantity.grouped(counts.failedRuns)),
            (
                "Written by",
                statistics.writer?.description ?? subject.whyWriterIsUnknown.map { "not known: \($0)" } ?? "no process"
            ),
        ]
    }
}
