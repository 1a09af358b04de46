import JournalStore

extension Command {
    /// `bisect FILE --where CONDITION`
    static let bisect = Command(
        name: "bisect",
        summary: "Find the first step at which a condition on the state holds.",
        discussion: """
            A condition is PATH OPERATOR VALUE: balance < 0, status == "open", labels contains "new", items.count >= 3; \
            or a path alone, which holds where there is something. Operators are ==, !=, <, <=, >, >= and contains.
            It halves: about twenty replays of a stretch for a million steps. That finds a condition that holds for good \
            once it holds; for one that goes to and fro, --scan looks at each step.
            Where it holds nowhere it ends with \(ExitCode.failed.rawValue). This needs the machine.
            """,
        positionals: [.file],
        options: [.theStream, condition, scan, from, to, .without, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            guard let text = arguments[condition] else {
                throw UsageError("A condition is missing: --where 'balance < 0'.")
            }
            let condition: Condition
            do throws(Condition.Mistake) { condition = try Condition(text) } catch { throw UsageError(error.message) }
            let stream = try arguments.theStream(reader)
            let session = try machines.session(on: stream, reader, without: arguments.all(.without))
            let range = try range(arguments, try reader.stream(stream))
            var found = Found(stream: stream, condition: text, scanned: arguments[scan])
            func holds(_ state: String) throws -> Bool {
                guard let node = JSON(state) else {
                    throw JournalError(
                        .badArgument, "The state is no JSON, so that no condition can be asked of it.",
                        file: reader.file, stream: stream)
                }
                found.looks += 1
                found.hint = condition.hint(in: node)
                return condition.holds(in: node)
            }
            if found.scanned {
                try session.states(range) { step, state in
                    found.step = try holds(state) ? step : nil
                    return found.step == nil
                }
            } else {
                found.step = try Halving.first(in: range) { try holds(session.state(at: $0)) }
            }
            found.entry = try found.step.flatMap { step in
                try reader.entries(in: stream, from: step, limit: 1).first { $0.step == step }.map(EntryRow.init)
            }
            if output.isJSON { try output.object(found, keys) } else { try tell(found, range, output) }
            return found.step == nil ? .failed : .fine
        })

    private static func range(_ arguments: Arguments, _ info: StreamInfo) throws -> ClosedRange<Int> {
        let first = max(arguments[from] ?? 0, info.prunedStep)
        let last = arguments[to] ?? info.headStep
        guard last <= info.headStep else {
            throw UsageError("The stream ends at step \(info.headStep), before step \(last).")
        }
        guard first <= last else { throw UsageError("There are no steps from \(first) to \(last).") }
        return first...last
    }

    private static func tell(_ found: Found, _ range: ClosedRange<Int>, _ output: Output) throws {
        let looks = Quantity.counted(found.looks, "state", "states")
        guard let step = found.step else {
            let place =
                found.scanned
                ? "It holds at no step from \(range.lowerBound) to \(range.upperBound)"
                : "It does not hold at step \(range.upperBound)"
            return try output.note(
                "\(place) (\(looks) looked at)."
                    + (found.scanned ? "" : " It may have held before: --scan looks at each step.")
                    + (found.hint.map { " \($0)" } ?? ""))
        }
        try output.line("Step \(step) is the first at which it holds (\(looks) looked at).")
        if let entry = found.entry {
            try output.line("\(entry.entry.time)  " + SafeText.escape(entry.json ?? entry.entry.action))
        }
    }

    private struct Found {
        var stream: String
        var condition: String
        var scanned: Bool
        var step: Int?
        var looks = 0
        /// What is wrong with the path, by the last state that was looked at.
        var hint: String?
        var entry: EntryRow?
    }

    private static let condition = Option<String>.text("where", "CONDITION", help: "What is to hold.")
    private static let scan = Flag("scan", help: "Look at each step, one after the other.")
    private static let from = Option<Int>.count("from", "STEP", help: "Begin with the state after this step.")
    private static let to = Option<Int>.count("to", "STEP", help: "End with the state after this step.")

    private static let keys: [Key<Found>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("condition", "the condition") { .text($0.condition) },
        Key("step", "the first step after which it holds; null where there is none, 0 for the state before all") {
            .number($0.step)
        },
        Key("scanned", "whether each step was looked at") { .bool($0.scanned) },
        Key("states", "how many states were looked at") { .number($0.looks) },
        Key("action", "the action of that step") { $0.entry?.json.map { .raw($0) } ?? .null },
    ]
}
