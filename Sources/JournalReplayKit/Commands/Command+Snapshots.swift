import JournalStore

extension Command {
    /// `snapshots FILE`
    static let snapshots = Command(
        name: "snapshots",
        summary: "List the snapshots of the streams.",
        discussion: """
            A snapshot of the kind cache only saves time. A base is truth: no replay crosses it, because a new version \
            of the code starts there or the entries before it were pruned.
            """,
        positionals: [.file],
        options: [.stream],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let names = try arguments[.stream].map { [try reader.stream($0).name] } ?? reader.streams().map(\.name)
            var listing = Listing(output, keys: keys, columns: columns(withStream: arguments[.stream] == nil))
            for name in names {
                // One state in memory at a time: states can be large.
                for step in try reader.snapshotSteps(of: name) {
                    guard let snapshot = try reader.snapshot(of: name, atOrBefore: step), snapshot.step == step else {
                        continue
                    }
                    try listing.write([Row(stream: name, snapshot: snapshot)])
                }
            }
            if listing.isEmpty { try output.note("There is no snapshot.") }
            return .fine
        })

    private struct Row {
        var stream: String
        var step: Int
        var version: Int
        var time: Timestamp
        var isBase: Bool
        var bytes: Int

        init(stream: String, snapshot: Snapshot) {
            self.stream = stream
            (step, version, time) = (snapshot.step, snapshot.version, snapshot.time)
            (isBase, bytes) = (snapshot.isBase, snapshot.state.utf8.count)
        }
    }

    private static let keys: [Key<Row>] = [
        Key("stream", "its stream") { .text($0.stream) },
        Key("step", "the step after which this was the state") { .number($0.step) },
        Key("base", "whether it is a base, not only a cache") { .bool($0.isBase) },
        Key("version", "the version of the machine that wrote it") { .number($0.version) },
        Key("time", "when it was taken") { .text($0.time.description) },
        Key("bytes", "the size of the state") { .number($0.bytes) },
    ]

    private static func columns(withStream: Bool) -> [Column<Row>] {
        (withStream ? [Column("STREAM") { $0.stream }] : [])
            + [
                .number("STEP") { $0.step }, Column("KIND") { $0.isBase ? "base" : "cache" },
                .number("VERSION") { $0.version }, Column("TIME") { $0.time.description },
                .number("BYTES") { $0.bytes },
            ]
    }
}
