import JournalStore

extension Command {
    /// `streams FILE`
    static let streams = Command(
        name: "streams",
        summary: "List the streams of a journal.",
        discussion: "Without --sort, they are listed in the order of their creation.",
        positionals: [.file],
        options: [machine, text, sort],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let wantedMachine = arguments[machine]
            let wantedText = arguments[text]
            var streams = try reader.streams().filter { stream in
                (wantedMachine.map { stream.machine == $0 } ?? true)
                    && (wantedText.map { stream.name.contains($0) } ?? true)
            }
            arguments[sort]?.apply(to: &streams)
            var listing = Listing(output, keys: keys, columns: columns)
            try listing.write(streams)
            if listing.isEmpty { try output.note("No stream matches.") }
            return .fine
        })

    private enum Order: String, CaseIterable {
        case name, steps, created

        func apply(to streams: inout [StreamInfo]) {
            // The standard library's sort is stable: equal streams stay in the order of their creation.
            switch self {
            case .name: streams.sort { $0.name < $1.name }
            case .steps: streams.sort { $0.headStep > $1.headStep }
            case .created: streams.sort { $0.created < $1.created }
            }
        }
    }

    private static let machine = Option<String>.text("machine", "NAME", help: "Only the streams of this machine.")
    private static let text = Option<String>.text("grep", "TEXT", help: "Only streams with this text in their name.")
    private static let sort = Option<Order>.word(
        "sort", "KEY",
        help: "The sort key: steps lists the longest stream first, created the oldest.",
        Order.allCases.map { ($0.rawValue, $0) })

    private static let keys: [Key<StreamInfo>] = [
        Key("name", "its name") { .text($0.name) },
        Key("machine", "the machine it belongs to") { .text($0.machine) },
        Key("steps", "its newest step; 0 if it has none") { .number($0.headStep) },
        Key("settled", "the last step up to which all outcomes are recorded") { .number($0.settledStep) },
        Key("pruned", "the last step up to which entries were pruned; 0 if none were") { .number($0.prunedStep) },
        Key("created", "when it was created") { .text($0.created.description) },
        Key("headDigest", "the digest of its newest entry") { .text($0.headDigest.description) },
    ]

    private static let columns: [Column<StreamInfo>] = [
        Column("NAME") { $0.name },
        Column("MACHINE") { $0.machine },
        .number("STEPS") { $0.headStep },
        .number("SETTLED") { $0.settledStep },
        .number("PRUNED") { $0.prunedStep },
        Column("CREATED") { $0.created.description },
    ]
}
