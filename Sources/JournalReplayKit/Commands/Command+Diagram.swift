import JournalStore

extension Command {
    /// `diagram FILE`
    static let diagram = Command(
        name: "diagram",
        summary: "Print a diagram of the transitions that happened, for Mermaid or Graphviz.",
        discussion: """
            A node is the case of a state, or the value at --path; an edge is an action, with the number of its steps \
            and how long the streams had been in the node before, on average. Rejected actions are edges marked \
            'refused'; skipped and cancelled steps are left out. \
            The states are computed with the machine.
            Without --stream, all streams of the known machines are counted together, or those of one machine with \
            --of. If only the states of some machines have PATH, the other machines are left out.
            --over lays this over a transition table: TABLE is the text of the table's diagram(.mermaid). Arrows that \
            no step took are marked 'never', and edges that the table does not have are marked too.
            """,
        positionals: [.file, .stream],
        options: [.stream, ofMachine, path, format, over, Machines.option],
        keys: DiagramRow.keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let table = try arguments[over].map(arrows)
            let rows = DiagramRow.rows(try tally(arguments, reader, machines, output), over: table)
            if table != nil, rows.contains(where: { $0.status == .unlisted }),
                !rows.contains(where: { $0.status == .taken })
            {
                try output.note(
                    "No step fits an arrow of the table. The names of the cases are compared; of an enum with other raw "
                        + "values a journal has these, and of `event(Event)` only `event`.")
            }
            if output.isJSON {
                for row in rows { try output.object(row, DiagramRow.keys) }
                return .fine
            }
            var text = DiagramText(arguments[format] ?? .mermaid)
            var labels = DiagramLabels()
            for row in rows {
                text.add(
                    from: labels.label(of: row.from), to: labels.label(of: row.to), label: SafeText.escape(row.label),
                    row.emphasis)
            }
            try output.lines(text.finished.split(separator: "\n").map(String.init))
            return .fine
        })

    /// The transitions of the machines whose states have the path; those of a single machine in any case.
    private static func tally(
        _ arguments: Arguments, _ reader: JournalReader, _ machines: Machines, _ output: Output
    ) throws -> TransitionTally {
        let path = try arguments[path] ?? StatePath("")
        let streams = try streams(arguments, reader, machines, output)
        let names = Command.machines(of: streams)
        var tally = TransitionTally()
        var others: [String] = []
        var hasPart = false
        for name in names {
            var reading = TransitionReading(
                reader: reader, machines: machines, names: names, path: path, tally: tally)
            for stream in streams where stream.machine.hasSameBytes(as: name) { try reading.read(stream) }
            if reading.hasPart || names.count == 1 { tally = reading.tally }
            if reading.hasState, !reading.hasPart { others.append(name) }
            hasPart = hasPart || reading.hasPart
        }
        if !hasPart, !others.isEmpty {
            output.warning("No state has '\(path)'.")
        } else {
            for name in others {
                try output.note("No state of the machine '\(name)' has '\(path)': its streams are left out.")
            }
        }
        return tally
    }

    /// The named stream, or those whose machine is known. Names the machines that are not.
    private static func streams(
        _ arguments: Arguments, _ reader: JournalReader, _ machines: Machines, _ output: Output
    ) throws -> [StreamInfo] {
        let machine = arguments[ofMachine]
        if let name = try arguments.namedStream() {
            guard machine == nil else { throw UsageError("'--of' excludes a stream.") }
            return [try reader.stream(name)]
        }
        var all = try reader.streams()
        if let machine, case let found = all.filter({ $0.machine.hasSameBytes(as: machine) }) {
            guard !found.isEmpty || all.isEmpty else {
                let hint = unknownMachine(machine, all).map { " \($0)" } ?? ""
                throw UsageError("No stream has the machine '\(machine)'.\(hint)")
            }
            all = found
        }
        let known = all.filter(machines.knows)
        // The error for the first stream says how to make its machine known.
        if known.isEmpty, let first = all.first { _ = try machines.session(on: first.name, reader) }
        for name in Command.machines(of: all.filter { !machines.knows($0) }) {
            try output.note("The machine '\(name)' is unknown: its streams are left out.")
        }
        return known
    }

    private static func arrows(_ path: String) throws -> TableArrows {
        let file = try ByteFile(reading: path)
        var bytes: [UInt8] = []
        while let more = try file.read() { bytes += more }
        guard let table = TableArrows(mermaid: String(decoding: bytes, as: UTF8.self)) else {
            throw UsageError(
                "'\(path)' has no arrow of a Mermaid diagram: '--over' takes what diagram(.mermaid) returns.")
        }
        return table
    }

    private static let path = Option<StatePath>(
        "path", "PATH", help: "The part of the state that is the node.", expected: "a path such as status"
    ) { try? StatePath($0) }

    private static let format = Option<DiagramFormat>.word(
        "format", "FORMAT", help: "The language of the diagram. The default is mermaid.",
        [("mermaid", .mermaid), ("graphviz", .graphviz)])

    private static let over = Option<String>.file(
        "over", "TABLE", help: "Lay it over this diagram of a transition table.")
}
