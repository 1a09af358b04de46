import JournalStore

extension Command {
    /// `snapshots FILE`
    static let snapshots = Command(
        name: "snapshots",
        summary: "List the snapshots of the streams.",
        discussion: """
            A snapshot of the kind cache only saves time. A base takes the place of the entries before it: later states are computed from it, because a new version \
            of the code starts there or the entries before it were pruned. If one is damaged, the exit code is \
            \(ExitCode.damaged.rawValue).
            """,
        positionals: [.file, .stream],
        options: [.stream],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let stream = try arguments.namedStream()
            var listing = Listing(output, keys: keys, columns: columns(withStream: stream == nil))
            var damaged: Row?
            try reader.forEachSnapshot(of: stream) { page in
                if damaged == nil { damaged = page.first(where: \.mark.isDamaged) }
                try listing.write(page)
            }
            if listing.isEmpty { try output.note("There is no snapshot.") }
            if let damaged { throw damaged.error(reader.file) }
            return .fine
        })

    private typealias Row = JournalReader.ListedSnapshot

    private static let keys: [Key<Row>] = [
        Key("stream", "its stream") { .text($0.stream) },
        Key("step", "the step after which this was the state") { .number($0.mark.step) },
        Key("base", "whether it is a base, not only a cache") { .bool($0.mark.isBase) },
        Key("version", "the version of the machine that wrote it") { .number($0.mark.version) },
        Key("time", "when it was taken; null if that cannot be read") { .text($0.time?.description) },
        Key("damaged", "whether its row was damaged or changed by hand; the state is checked by 'verify' only") {
            .bool($0.mark.isDamaged)
        },
        Key("bytes", "the size of the state") { .number($0.mark.stateBytes) },
    ]

    private static func columns(withStream: Bool) -> [Column<Row>] {
        (withStream ? [Column("STREAM") { $0.stream }] : [])
            + [
                .number("STEP") { $0.mark.step },
                Column("KIND") { ($0.mark.isBase ? "base" : "cache") + ($0.mark.isDamaged ? ", damaged" : "") },
                .number("VERSION") { $0.mark.version }, Column("TIME") { $0.time?.description ?? "" },
                .number("BYTES") { $0.mark.stateBytes },
            ]
    }
}

extension JournalReader.ListedSnapshot {
    fileprivate func error(_ file: String?) -> JournalError {
        guard mark.isBase else { return .damagedCache(file, stream: stream, step: mark.step) }
        return JournalError(
            .corrupt, "The base was damaged or changed by hand.", advice: JournalError.adviceForKnownDamage,
            file: file, stream: stream, step: mark.step)
    }
}
