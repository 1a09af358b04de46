import JournalStore

extension Command {
    /// `bisect FILE --where CONDITION`
    static let bisect = Command(
        name: "bisect",
        summary: "Find the first step at which a condition on the state holds.",
        discussion: """
            \(Condition.language)
            If it holds already at the step where the search begins, this says so: steps before it were not checked.
            This is a binary search: for a million steps it computes about twenty states. It is right for a condition \
            that stays true once it is true; for any other condition, --scan checks every step. Each state is \
            computed from the newest snapshot before it; with --scan, from the first step of the search on, without \
            later snapshots.
            If the condition holds at no step, the exit code is \(ExitCode.failed.rawValue). Needs the machine.
            """,
        positionals: [.file, .theStream],
        options: [.stream, condition, bisectScan, bisectFrom, bisectTo, .without, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            guard let text = arguments[condition] else {
                throw UsageError("A condition is missing, such as --where 'balance < 0'.")
            }
            let condition = try Condition.parse(text)
            let stream = try arguments.theStream(reader)
            let info = try reader.stream(stream)
            let range = try bisectRange(arguments, info, reader, output)
            let session = try machines.session(
                on: stream, reader, without: arguments.all(.without), upTo: range.upperBound)
            var found = Found(stream: stream, condition: text, scanned: arguments[bisectScan])
            func holds(_ state: String) throws -> Bool {
                guard let node = JSON(state) else {
                    throw JournalError(
                        .badArgument, "The state is not JSON, so the condition cannot be checked.",
                        file: reader.file, stream: stream)
                }
                found.looks += 1
                found.hint = condition.hint(in: node)?.message
                found.misreading = condition.misreading(in: node)
                return condition.holds(in: node)
            }
            var step: Int?
            if found.scanned {
                try session.states(range) { number, state in
                    step = try holds(state) ? number : nil
                    return step == nil
                }
            } else {
                step = try Halving.first(in: range) { try holds(session.state(at: $0)) }
            }
            found.found = try step.map { try FoundStep($0, in: range, of: info, reader) }
            if let first = found.found, first.isFirst {
                warn(ofOtherCodeAt: first.step, of: stream, session, reader, output, usesSnapshots: !found.scanned)
            }
            if let first = found.found {
                // A search begins with a state that can be stored.
                let part: ShownPart = found.scanned && first.isFirst ? .computedState : .state
                try output.warn(
                    ofOlderCodeAt: [(first.step, part)], without: arguments.all(.without),
                    of: stream, session, reader)
            }
            if found.found != nil, let misreading = found.misreading { output.warning(misreading) }
            if output.isJSON { try output.object(found, keys) } else { try tell(found, range, output) }
            return found.found == nil ? .failed : .fine
        })

    /// The steps to search.
    static func bisectRange(
        _ arguments: Arguments, _ info: StreamInfo, _ reader: JournalReader, _ output: Output
    ) throws -> ClosedRange<Int> {
        let from = arguments[bisectFrom] ?? 0
        // Throws if the stream has no such step.
        _ = try Place.step(from).entry(info.name, reader)
        let to: Place = arguments[bisectTo].map { .step($0) } ?? .last
        let last = try to.step(info.name, reader)
        guard from <= last else {
            let place = "the stream '\(info.name)' of \(reader.file ?? "the journal")"
            throw UsageError("There are no steps from \(from) to \(last) in \(place).")
        }
        let first = max(from, info.prunedStep)
        guard first <= last else {
            throw JournalError(
                .noUsableSnapshot,
                "The entries up to step \(info.prunedStep) were pruned: no state of a step before it can be computed.",
                advice: "Choose that step or a later one as the end, or read a backup that has the entries.",
                file: reader.file, stream: info.name, step: last)
        }
        if arguments[bisectFrom] != nil, from < first {
            try output.note("The entries up to step \(info.prunedStep) were pruned: the search begins there.")
        }
        return first...last
    }

    /// Warns if the found step has a snapshot of other code: then the step's action need not have changed the state.
    static func warn(
        ofOtherCodeAt step: Int, of stream: String, _ session: any ReplaySession, _ reader: JournalReader,
        _ output: Output,
        usesSnapshots: Bool
    ) {
        // If this cannot be computed, the search did not use it, and its result stands.
        guard let info = try? reader.stream(stream), step > info.prunedStep,
            let mark = try? reader.newestMark(of: info, atOrBefore: step), mark.step == step,
            mark.isBase || usesSnapshots,
            (try? session.isOfOtherCode(mark)) == true
        else { return }
        let difference =
            "of step \(step) has another state than this code computes from step \(step - 1), so the states "
            + "before and after it come from different code."
        output.warning(
            mark.isBase
                ? "The base \(difference) Its state counts: it is what the code before it had computed."
                : "The snapshot \(difference) `verify` compares them; `bisect --where … --scan` uses no snapshot "
                    + "after the first step of the search.")
    }

    private static func tell(_ found: Found, _ range: ClosedRange<Int>, _ output: Output) throws {
        let looks = Quantity.counted(found.looks, "state", "states")
        guard let step = found.found else {
            let place =
                found.scanned
                ? "The condition holds at no step from \(range.lowerBound) to \(range.upperBound)"
                : "The condition does not hold at step \(range.upperBound)"
            return try output.note(
                "\(place) (\(looks) checked)."
                    + (found.scanned || range.count == 1
                        ? "" : " It may hold at an earlier step: --scan checks every step.")
                    + (found.hint.map { " \($0)" } ?? ""))
        }
        try step.write(
            "at which the condition holds", already: "The condition holds", "\(looks) checked", to: output)
    }

    private struct Found {
        var stream: String
        var condition: String
        var scanned: Bool
        var found: FoundStep?
        var looks = 0
        /// The error in the path, from the last state that was checked.
        var hint: String?
        /// What is read as a text and looks like a path, in the same state.
        var misreading: String?
    }

    private static let condition = Option<String>.text("where", "CONDITION", help: "The condition to find.").asRequired
    static let bisectScan = Flag("scan", help: "Check every step, in order.")
    static let bisectFrom = Option<Int>.count(
        "from", "STEP", least: 0, help: "Begin with the state after this step.")
    static let bisectTo = Option<Int>.count(
        "to", "STEP", least: 0, help: "End with the state after this step.")

    private static let keys: [Key<Found>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("condition", "the condition") { .text($0.condition) },
        Key("step", "the first step after which it holds; 0 for the initial state, null if there is none") {
            .number($0.found?.step)
        },
        Key("first", FoundStep.firstMeaning) { $0.found.map { .bool($0.isFirst) } ?? .null },
        Key("scanned", "whether every step was checked") { .bool($0.scanned) },
        Key("states", "the number of states that were checked") { .number($0.looks) },
        Key("action", "the action of that step, if it is the first") { $0.found?.action ?? .null },
    ]
}
