import JournalStore

extension Command {
    /// `snapshot FILE`
    static let snapshot = Command(
        name: "snapshot",
        summary: "Take a snapshot of a state, or drop one.",
        discussion: """
            Takes a snapshot of the state after the last step, or after --at; this needs the machine. Dropping a \
            snapshot loses no data but makes replays slower; a base cannot be dropped.
            """ + Writing.manners,
        positionals: [.file, .theStream],
        options: [.stream, Place.option, drop, .yes, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            if arguments[drop] != nil, arguments[Place.option] != nil {
                throw UsageError("'--drop' and '--at' exclude each other.")
            }
            let stream = try arguments.theStream(reader)
            let isDone = arguments[.yes]
            let done: Done
            if let step = arguments[drop] {
                let kept = try reader.snapshot(of: stream, atOrBefore: step)
                guard let kept, kept.step == step else {
                    output.error(
                        "There is no snapshot of step \(step) in the stream '\(stream)'; `snapshots` lists them.")
                    return .missing
                }
                guard !kept.isBase else { throw kept.refusal(of: stream, reader) }
                done = Done(stream: stream, act: "drop", step: step, bytes: kept.state.utf8.count, isDone: isDone)
                if isDone { try await reader.writing { try await $0.dropSnapshot(of: stream, at: step) } }
            } else {
                let step = try (arguments[Place.option] ?? .step(.max)).step(stream, reader)
                let session = try machines.session(on: stream, reader)
                let state = try session.state(at: step)
                done = Done(stream: stream, act: "take", step: step, bytes: state.utf8.count, isDone: isDone)
                if isDone {
                    try await reader.writing { journal in
                        let open = try await journal.openStream(stream, machine: try reader.stream(stream).machine)
                        try await open.saveSnapshot(state, at: step, version: session.version)
                        try await open.close()
                    }
                }
            }
            if output.isJSON { try output.object(done, keys) } else { try output.line(done.sentence) }
            return .fine
        })

    private struct Done {
        var stream: String
        var act: String
        var step: Int
        var bytes: Int
        var isDone: Bool

        var sentence: String {
            let whole =
                "\(act == "take" ? "take" : "drop") the snapshot of step \(step) of the stream '\(SafeText.escape(stream))' "
                + "(\(Quantity.bytes(Int64(bytes))))"
            return isDone ? "Done: \(whole)." : "Would \(whole). Nothing was changed; add --yes to do it."
        }
    }

    private static let drop = Option<Int>.count("drop", "STEP", help: "Drop the snapshot of this step.")

    private static let keys: [Key<Done>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("act", "take or drop") { .text($0.act) },
        Key("step", "the step of the snapshot") { .number($0.step) },
        Key("bytes", "the size of the state") { .number($0.bytes) },
        Key("done", "whether it was done; false without --yes") { .bool($0.isDone) },
    ]
}

extension Snapshot {
    fileprivate func refusal(of stream: String, _ reader: JournalReader) -> JournalError {
        JournalError(
            .notInThatState, "The snapshot is a base: its state cannot be computed from the entries before it.",
            advice: "Choose another snapshot.", file: reader.file, stream: stream, step: step)
    }
}
