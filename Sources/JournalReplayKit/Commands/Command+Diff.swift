import JournalStore

extension Command {
    /// `diff FILE A B`
    static let diff = Command(
        name: "diff",
        summary: "Show the differences between the states after two steps, or at two times.",
        discussion: """
            A has the old state, B the new one; 0 is the state before the first step. The later state is reduced on \
            from the earlier one, so that a difference is what a step between them did; of the snapshots between them \
            only bases are used. Needs the machine.
            """,
        positionals: [.file, .theStream, before, after],
        options: [.stream, .without, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let stream = try arguments.theStream(reader)
            let from = try arguments.step(before, stream, reader)
            let to = try arguments.step(after, stream, reader)
            let session = try machines.session(
                on: stream, reader, without: arguments.all(.without), upTo: max(from, to))
            let found = Found(stream: stream, from: from, to: to, changes: try session.changes(from: from, to: to))
            try output.warn(
                ofOlderCodeAt: [(min(from, to), .state), (max(from, to), from == to ? .state : .computedState)],
                without: arguments.all(.without),
                of: stream, session, reader)
            if output.isJSON {
                try output.object(found, keys)
            } else if found.changes.isEmpty {
                try output.note(remark(arguments, from, to))
            } else {
                for change in found.changes { try output.change(change) }
            }
            return .fine
        })

    /// What to say if there is no difference.
    private static func remark(_ arguments: Arguments, _ from: Int, _ to: Int) -> String {
        guard from == to else { return "The states after step \(from) and step \(to) are the same." }
        guard case .time? = Place(arguments[before]), case .time? = Place(arguments[after]) else {
            return "A and B are both step \(from), so the states are the same."
        }
        return "Both times are after step \(from), so the states are the same."
    }

    private struct Found {
        var stream: String
        var from: Int
        var to: Int
        var changes: [ValueDiff.Change]
    }

    private static let before = Positional.stepOrTime("A", help: "A step, 'last', or a time.")
    private static let after = Positional.stepOrTime("B", help: "Another step, 'last', or a time.")

    private static let keys: [Key<Found>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("from", "the step that A names") { .number($0.from) },
        Key("to", "the step that B names") { .number($0.to) },
        Key(
            "changes",
            "the differences: objects with path, and old and new as text; null for a value that does not exist"
        ) {
            .changes($0.changes)
        },
    ]
}

extension JSON {
    static func changes(_ changes: [ValueDiff.Change]) -> JSON {
        .list(
            changes.map { change in
                .object([
                    Member(key: "path", value: .text(change.path)), Member(key: "old", value: .text(change.old)),
                    Member(key: "new", value: .text(change.new)),
                ])
            })
    }
}

extension Output {
    /// Writes one difference, which can take several lines.
    func change(_ change: ValueDiff.Change, indent: String = "") throws(Failure) {
        for text in change.description.split(separator: "\n", omittingEmptySubsequences: false) {
            let safe = SafeText.escape(String(text))
            try line(indent + (text.hasPrefix("- ") ? style.problem(safe) : safe))
        }
    }
}
