import JournalStore

extension Command {
    /// `state FILE`
    static let state = Command(
        name: "state",
        summary: "Show the state of a stream after a step, or at a time.",
        discussion: """
            The steps after the nearest earlier snapshot are reduced again, which needs the machine; no effect runs. \
            Without the machine, only the states of snapshots can be shown.
            A path selects a part of the state: items.0.price, users."a.b", items.count.
            """,
        positionals: [.file, .theStream, .place],
        options: [.stream, Place.option, path, .without, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let stream = try arguments.theStream(reader)
            let place = try arguments.place() ?? .last
            let step = try place.step(stream, reader)
            let text = try text(at: step, of: stream, reader, machines, without: arguments.all(.without), output)
            if case .time(let time) = place, step == 0 { try tell(time, isBeforeStepOf: reader.stream(stream), output) }
            let time = try reader.entries(in: stream, from: step, limit: 1).first { $0.step == step }?.time
            let way = arguments[path]
            var shown = Shown(stream: stream, step: step, time: time, path: way, json: text, isJSON: false)
            func fault(_ code: JournalError.Code, _ message: String) -> JournalError {
                JournalError(code, message, file: reader.file, stream: stream, step: step)
            }
            if let node = JSON(text) {
                shown.isJSON = true
                if let way, !way.steps.isEmpty {
                    guard let part = way.part(of: node) else {
                        throw fault(.noSuchStep, way.missing(in: node).message)
                    }
                    shown.json = part.json
                }
            } else if way != nil {
                throw fault(.badArgument, "The state is not JSON, so --path cannot select a part of it.")
            }
            if output.isJSON {
                try output.object(shown, keys)
            } else {
                let lines = StoredJSON.lines(shown.json, width: 100) ?? [SafeText.escape(shown.json)]
                let isRead = System.isTerminal(System.standardOutput)
                try output.lines(isRead ? lines.map { DateNote.added(to: $0) } : lines)
            }
            return .fine
        })

    private static func tell(_ time: Timestamp, isBeforeStepOf stream: StreamInfo, _ output: Output) throws {
        let fact =
            time < stream.created
            ? "The stream did not exist at that time: it was created at \(stream.created)."
            : "The stream had no step at that time."
        try output.note("\(fact) This is the initial state.")
    }

    /// The state after a step. Without the machine, it is read from the step's snapshot, if no step is to be left out.
    private static func text(
        at step: Int, of stream: String, _ reader: JournalReader, _ machines: Machines, without: [Int],
        _ output: Output
    ) throws -> String {
        do {
            let session = try machines.session(on: stream, reader, without: without, upTo: step)
            let state = try session.state(at: step)
            try output.warn(ofOlderCodeAt: [(step, .state)], without: without, of: stream, session, reader)
            return state
        } catch let error as JournalError where error.code == .noMachine && without.isEmpty {
            if let snapshot = try reader.shownSnapshot(of: reader.stream(stream), atOrBefore: step),
                snapshot.step == step
            {
                return snapshot.state
            }
            let info = try reader.stream(stream)
            if step > 0, step <= info.prunedStep,
                try reader.entries(in: stream, from: step, limit: 1).first?.step != step
            {
                throw reader.prunedSteps(info.prunedStep, step, of: info)
            }
            var told = error
            let steps = try reader.snapshotSteps(in: stream)
            if !steps.isEmpty {
                let last = steps.suffix(5).map(String.init).joined(separator: ", ")
                told.advice +=
                    steps.count > 5
                    ? " Without the machine, \(steps.count) steps have snapshots; the last of them are: \(last)."
                    : " Without the machine, these steps have snapshots: \(last)."
            }
            throw told
        }
    }

    private struct Shown {
        var stream: String
        var step: Int
        var time: Timestamp?
        var path: StatePath?
        var json: String
        var isJSON: Bool
    }

    private static let path = Option<StatePath>(
        "path", "PATH", help: "Only this part of the state.", expected: "a path such as items.0.price"
    ) { try? StatePath($0) }

    private static let keys: [Key<Shown>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("step", "the step after which this is the state") { .number($0.step) },
        Key("time", "when that step was committed; null for 0, or if it was pruned") {
            .text($0.time?.description)
        },
        Key("path", "the path, if one was given") { .text($0.path?.description) },
        Key("state", "the state, or its part; a string if it is not JSON") {
            $0.isJSON ? StoredJSON.compact($0.json).map { .raw($0) } ?? .null : .text($0.json)
        },
    ]
}
