import JournalStore

extension Command {
    /// `verify FILE`
    static let verify = Command(
        name: "verify",
        summary: "Check a journal for damage, from the first page to the last entry.",
        discussion: """
            It checks the file itself, the schema, the steps and digests of each stream, snapshots and records, and that \
            nothing is missing which the last writer had acknowledged. It ends with \(ExitCode.damaged.rawValue) where \
            something is wrong. An app may go on writing meanwhile.
            """,
        positionals: [.file],
        keys: keys.map(\.row),
        work: .reading { _, reader, output in
            let report = try reader.verify()
            if output.isJSON {
                try output.object(report, keys)
            } else {
                for line in lines(report, output.style) { try output.line(line) }
            }
            return report.isSound ? .fine : .damaged
        })

    private static let keys: [Key<VerificationReport>] = [
        Key("sound", "whether nothing is wrong") { .bool($0.isSound) },
        Key("streams", "how many streams were read") { .number($0.streams) },
        Key("entries", "how many entries were read") { .number($0.entries) },
        Key("snapshots", "how many snapshots were compared with their entries") { .number($0.snapshots) },
        Key("problems", "what is wrong, \(VerificationReport.limit) at the most: objects with stream, step, message") {
            .list($0.problems.map(json))
        },
    ]

    private static func json(_ problem: VerificationReport.Problem) -> JSON {
        .object([
            .init(key: "stream", value: .text(problem.stream)),
            .init(key: "step", value: .number(problem.step)),
            .init(key: "message", value: .text(problem.message)),
        ])
    }

    private static func lines(_ report: VerificationReport, _ style: Style) -> [String] {
        let read = [
            Quantity.counted(report.streams, "stream", "streams"),
            Quantity.counted(report.entries, "entry", "entries"),
            Quantity.counted(report.snapshots, "snapshot", "snapshots"),
        ].joined(separator: ", ")
        guard !report.isSound else { return ["Sound: \(read)."] }
        let count = report.problems.count
        let many =
            count < VerificationReport.limit
            ? Quantity.counted(count, "problem", "problems") : "\(count) problems or more"
        return [style.problem("Not sound: \(many).") + " Read: \(read)."]
            + report.problems.map { "  " + SafeText.escape($0.description) }
    }
}
