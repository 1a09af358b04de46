import JournalStore

extension Command {
    /// `bisect run FILE COMMAND`
    static let bisectRun = Command(
        name: "bisect run",
        summary: "Find the first step whose state a command calls bad.",
        discussion: """
            As `git bisect run` does, it runs a command for some states. The exit status of the command tells: 0 means \
            good, 125 that this state cannot be tested, any other status up to 127 bad; a higher status ends the \
            search. If each status is 126 or 127, the shell could not run the command, and the search fails. The \
            command gets the state as JSON on its standard input, and in the file that the variable \
            \(fileVariable) names; \(streamVariable) and \(stepVariable) tell the stream and the step. What it writes \
            goes to standard error.
            This is a binary search: it finds the first bad step if every step after that one is bad too. --scan tests \
            every step up to the first bad one, in order, and uses no snapshot after the first step of the search. If \
            no tested step is bad, or the first bad step cannot be told because of steps that cannot be tested, the \
            exit code is \(ExitCode.failed.rawValue). Needs the machine.
            """,
        positionals: [.file, .theStream, command],
        options: [.stream, bisectScan, bisectFrom, bisectTo, .without, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            try arguments.checkIsGiven(command, reader)
            let stream = try arguments.theStream(reader)
            let info = try reader.stream(stream)
            let range = try bisectRange(arguments, info, reader, output)
            let session = try machines.session(
                on: stream, reader, without: arguments.all(.without), upTo: range.upperBound)
            var found = Found(stream: stream, command: arguments[command], scanned: arguments[bisectScan])
            func test(_ step: Int, _ state: String) throws -> Bisection.Verdict {
                found.tests += 1
                let status = try status(of: found.command, step, stream, state, reader)
                if status == 126 || status == 127 { found.unknownCommands += 1 }
                let verdict = try tell(status, step, output)
                if verdict == .skipped { found.skipped += 1 }
                return verdict
            }
            let outcome: Bisection.Outcome
            if found.scanned {
                var scan = Bisection.Scan()
                try session.states(range) { step, state in try scan.note(test(step, state), at: step) }
                outcome = scan.outcome
            } else {
                outcome = try Bisection.run(in: range) { step in try test(step, session.state(at: step)) }
            }
            if found.unknownCommands == found.tests {
                throw UsageError("The shell cannot run '\(found.command)': is there such a command?")
            }
            switch outcome {
            case .first(let step): found.found = try FoundStep(step, in: range, of: info, reader)
            case .oneOf(let steps): found.candidates = steps
            case .allGood, .untestable: break
            }
            if let step = found.found, step.isFirst {
                warn(ofOtherCodeAt: step.step, of: stream, session, reader, output, usesSnapshots: !found.scanned)
            }
            if let first = found.found {
                // A search begins with a state that can be stored.
                let part: ShownPart = found.scanned && first.isFirst ? .computedState : .state
                try output.warn(
                    ofOlderCodeAt: [(first.step, part)], without: arguments.all(.without),
                    of: stream, session, reader)
            }
            if output.isJSON { try output.object(found, keys) } else { try tell(found, outcome, range, output) }
            return found.found == nil ? .failed : .fine
        })

    private static func status(
        of command: String, _ step: Int, _ stream: String, _ state: String, _ reader: JournalReader
    ) throws -> Int32 {
        let status: Int32
        do throws(ShellCommand.Failure) {
            status = try ShellCommand(command: command).run(
                input: state, environment: ["\(streamVariable)=\(stream)", "\(stepVariable)=\(step)"],
                fileVariable: fileVariable)
        } catch {
            throw JournalError(
                .inputOutput, "The command cannot be run (\(Platform.message(forError: error.code))).",
                advice: "Check the folder TMPDIR.", file: reader.file, stream: stream, step: step,
                underlying: error.code)
        }
        guard status < 128 else {
            throw JournalError(
                .crashed, "The command ended with status \(status).",
                advice: "Let it end with 0 for a good state, 1 for a bad one, and 125 if it cannot tell.",
                file: reader.file, stream: stream, step: step)
        }
        return status
    }

    private static func tell(_ status: Int32, _ step: Int, _ output: Output) throws -> Bisection.Verdict {
        let verdict: Bisection.Verdict = status == 0 ? .good : status == 125 ? .skipped : .bad
        // The shell could not run it.
        let hint = status == 126 || status == 127 ? " (status \(status): is there such a command?)" : ""
        try output.note("Step \(step): \(verdict.rawValue)\(hint)")
        return verdict
    }

    private static func tell(
        _ found: Found, _ outcome: Bisection.Outcome, _ range: ClosedRange<Int>, _ output: Output
    ) throws {
        let tests = Quantity.counted(found.tests, "state", "states")
        switch outcome {
        case .allGood where found.scanned:
            let good = Quantity.counted(found.tests - found.skipped, "state", "states")
            let rest =
                found.skipped == 0 ? "" : " \(Quantity.counted(found.skipped, "other", "others")) cannot be tested."
            try output.note(
                "No state from step \(range.lowerBound) to \(range.upperBound) is bad (\(good) tested).\(rest)")
        case .allGood(let last):
            let later =
                last == range.upperBound ? "" : " The steps after it, up to \(range.upperBound), cannot be tested."
            let earlier =
                last == range.lowerBound ? "" : " An earlier state may be bad: --scan tests every step."
            try output.note("The state after step \(last) is good (\(tests) tested).\(later)\(earlier)")
        case .untestable: try output.note("No state can be tested (\(tests) tried).")
        case .oneOf(let steps):
            let isBegin = steps.lowerBound == range.lowerBound && steps.lowerBound > 0
            let earlier = isBegin ? " It can also be before step \(steps.lowerBound), where the search begins." : ""
            try output.note(
                "The first bad step is one of \(steps.lowerBound) to \(steps.upperBound); those before the last "
                    + "cannot be tested (\(tests) tested).\(earlier)")
        case .first:
            try found.found?.write("whose state is bad", already: "The state is bad", "\(tests) tested", to: output)
        }
    }

    private struct Found {
        var stream: String
        var command: String
        var found: FoundStep?
        var candidates: ClosedRange<Int>?
        var scanned: Bool
        var tests = 0
        /// How many states cannot be tested.
        var skipped = 0
        /// How many tests ended with 126 or 127, with which the shell says that it cannot run the command.
        var unknownCommands = 0
    }

    private static let fileVariable = "JOURNAL_STATE"
    private static let stepVariable = "JOURNAL_STEP"
    private static let streamVariable = "JOURNAL_STREAM"

    private static let command = Positional(
        name: "COMMAND", help: "The command, as one argument that the shell reads.", completion: .nothing)

    private static let keys: [Key<Found>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("command", "the command") { .text($0.command) },
        Key("step", "the first step after which the state is bad; 0 for the initial state, null if it is unknown") {
            .number($0.found?.step)
        },
        Key("first", FoundStep.firstMeaning) { $0.found.map { .bool($0.isFirst) } ?? .null },
        Key("candidates", "the first and the last step that can be it, if steps cannot be tested; null otherwise") {
            $0.candidates.map { .list([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
        },
        Key("scanned", "whether every step up to the first bad one was tested") { .bool($0.scanned) },
        Key("states", "the number of states that were tested") { .number($0.tests) },
        Key("action", "the action of that step, if it is the first") { $0.found?.action ?? .null },
    ]
}
