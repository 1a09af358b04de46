import JournalStore

extension Command {
    /// `streams FILE`
    static let streams = Command(
        name: "streams",
        summary: "List the streams of a journal.",
        discussion: """
            Without --sort, they are listed in the order of their creation.
            With --where, only the streams whose newest state meets a condition are listed. If a state is not in a \
            snapshot, this needs the machine. If a state cannot be computed, the exit code is \
            \(ExitCode.failed.rawValue).
            \(Condition.language)
            """,
        positionals: [.file],
        options: [ofMachine, text, condition, sort, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let wantedMachine = arguments[ofMachine]
            let wantedText = arguments[text]
            let condition = try arguments[condition].map(Condition.parse)
            var unreadable = Unreadable()
            let all = try reader.streams { unreadable.addRow($0) }
            var streams = all.filter { stream in
                (wantedMachine.map { stream.machine.hasSameBytes(as: $0) } ?? true)
                    && (wantedText.map { TextSearch.contains(stream.name, $0) } ?? true)
            }
            var code = ExitCode.fine
            var hint = wantedMachine.flatMap { unknownMachine($0, all) }
            var isChecked = true
            if let condition, !streams.isEmpty {
                let states = NewestStates(
                    reader: reader, machines: machines, children: ReplayChildren(arguments: arguments))
                let file = reader.file
                let verdicts = await states.map(streams) { Verdict($0, condition, $1, file: file) }
                for error in failures(verdicts).prefix(warnings) { output.warning(error.description) }
                let failed = verdicts.count { $0.error != nil }
                if failed > 0 {
                    code = .failed
                    output.warning("\(Quantity.counted(failed, "stream", "streams")) could not be checked.")
                }
                // The path of the condition is wrong only if no state has it.
                let read = verdicts.filter { $0.error == nil }
                isChecked = !read.isEmpty
                if read.allSatisfy({ $0.hint != nil }) { hint = pathHint(read) }
                streams = verdicts.filter(\.holds).map(\.stream)
            }
            arguments[sort]?.apply(to: &streams)
            var listing = Listing(output, keys: keys, columns: columns)
            try listing.write(streams)
            if let error = unreadable.error(reader.file) { throw error }
            if listing.isEmpty, isChecked { try output.note("No stream matches." + (hint.map { " \($0)" } ?? "")) }
            return code
        })

    /// The machines of streams, in the order of these.
    static func machines(of streams: [StreamInfo]) -> [String] {
        var known: Set<ByteName> = []
        return streams.map(\.machine).filter { known.insert(ByteName($0)).inserted }
    }

    /// What to say about a machine that no stream has.
    static func unknownMachine(_ name: String, _ streams: [StreamInfo]) -> String? {
        let machines = machines(of: streams)
        guard !machines.isEmpty, !machines.contains(where: { $0.hasSameBytes(as: name) }) else { return nil }
        if let near = Suggestion.closest(to: name, among: machines) { return "Did you mean '\(near)'?" }
        let shown = machines.prefix(8).joined(separator: ", ") + (machines.count > 8 ? ", …" : "")
        return "The machines of the streams are: \(shown)."
    }

    /// Why streams could not be checked: one error for each machine that is missing, and one for each other stream.
    private static func failures(_ verdicts: [Verdict]) -> [JournalError] {
        var missing: [String: Int] = [:]
        for verdict in verdicts where verdict.error?.code == .noMachine {
            missing[verdict.stream.machine, default: 0] += 1
        }
        return verdicts.compactMap { verdict in
            guard var error = verdict.error, error.code == .noMachine else { return verdict.error }
            guard let count = missing.removeValue(forKey: verdict.stream.machine) else { return nil }
            guard count > 1 else { return error }
            error.stream = nil
            error.message += " \(Quantity.grouped(count)) of its streams could not be checked."
            return error
        }
    }

    /// What is wrong with the condition's path. The states of each machine have other members, so there is a sentence for
    /// each of the first machines.
    private static func pathHint(_ verdicts: [Verdict]) -> String? {
        var best: [(machine: ByteName, verdict: Verdict)] = []
        for verdict in verdicts {
            let machine = ByteName(verdict.stream.machine)
            if let known = best.firstIndex(where: { $0.machine == machine }) {
                if verdict.hint?.isSuggestion == true, best[known].verdict.hint?.isSuggestion != true {
                    best[known].verdict = verdict
                }
            } else {
                best.append((machine, verdict))
            }
        }
        guard best.count > 1 else { return best.first?.verdict.hint?.message }
        // Those with a similar name first.
        let near = best.filter { $0.verdict.hint?.isSuggestion == true }
        let others = best.filter { $0.verdict.hint?.isSuggestion != true }
        return (near + others).prefix(3).compactMap { machine, verdict in
            verdict.hint.map { "In the state of '\(verdict.stream.name)' (machine '\(machine.name)'): \($0.message)" }
        }.joined(separator: " ")
    }

    /// Whether a condition holds for a stream.
    private struct Verdict: Sendable {
        var stream: StreamInfo
        var holds = false
        var hint: StatePath.Missing?
        var error: JournalError?

        init(_ stream: StreamInfo, _ condition: Condition, _ answer: NewestStates.Answer, file: String?) {
            self.stream = stream
            switch answer {
            case .success(let text):
                if let state = JSON(text) {
                    (holds, hint) = (condition.holds(in: state), condition.hint(in: state))
                } else {
                    error = JournalError(
                        .badArgument, "The state is not JSON, so no condition can be compared with it.",
                        advice: "`journal-replay state` prints it.", file: file, stream: stream.name,
                        step: stream.headStep)
                }
            case .failure(let failure): error = failure
            }
        }
    }

    /// The number of errors that are shown one by one.
    private static let warnings = 5

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

    static let ofMachine = Option<String>.text("of", "MACHINE", help: "Only the streams of this machine.")
    private static let condition = Option<String>.text(
        "where", "CONDITION", help: "Only the streams whose newest state meets this condition.")
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
        Key(
            "unstableOpenings",
            "how many openings in a row, with effects to restore, were not stable, or are not yet; 0 if it has no "
                + "such effects or the last one was stable. After three, a crash loop holds effects back"
        ) { .number(CrashLoop($0)?.openings ?? 0) },
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
