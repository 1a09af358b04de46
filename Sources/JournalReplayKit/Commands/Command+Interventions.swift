import JournalStore

// The interventions of an operator. Without --yes they only report what they would do.

extension Command {
    /// `cancel FILE EFFECT`
    static let cancel = intervention(
        .cancel, summary: "Cancel an effect that has not ended.",
        discussion: "The app does not run it when it opens the stream next.")

    /// `retry FILE EFFECT`
    static let retry = intervention(
        .retry, summary: "Run a failed or cancelled effect again.",
        discussion: """
            It starts when the app opens the stream next; its remembered steps do not run again. Its body can run \
            twice, whatever its restart policy is.
            """)

    /// `release FILE EFFECT`
    static let release = intervention(
        .release, summary: "Start an effect that waits for a decision (asked) or is parked.",
        discussion: "It starts when the app opens the stream next.")

    /// `skip FILE STEP`
    static let skip = Command(
        name: "skip",
        summary: "Skip a step whose reducer crashes the app.",
        discussion: """
            The state stays as it was before the step, and the app continues after it. A step can be skipped only if \
            its outcome is not recorded yet, because the app crashed while it reduced the step.
            """ + Writing.manners + trace,
        positionals: [.file, step],
        options: [.theStream, reason, .yes],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let stream = try arguments.theStream(reader)
            guard let number = Int(arguments[step]), number > 0 else {
                throw UsageError("STEP must be a number of 1 or more, not '\(arguments[step])'.", command: "skip")
            }
            try reader.stream(stream).checkSkip(of: number, file: reader.file)
            let entry = try reader.entries(in: stream, from: number, limit: 1).first { $0.step == number }
            let done = Done(
                file: reader.file ?? "", stream: stream, act: .skip, step: number, ordinal: nil,
                name: entry.map { ActionName.of($0.action) ?? "" } ?? "", before: nil, isDone: arguments[.yes])
            return try await carryOut(done, output, reader) { journal in
                try await journal.skip(number, in: stream, reason: arguments[reason])
            }
        })

    private static func intervention(
        _ act: Intervention.Act, summary: String, discussion: String
    ) -> Command {
        Command(
            name: act.rawValue, summary: summary, discussion: discussion + Writing.manners + trace,
            positionals: [.file, .effect],
            options: [.theStream, reason, .yes], keys: keys.map(\.row),
            work: .reading { arguments, reader, output in
                let stream = try arguments.theStream(reader)
                guard let run = try arguments.run(.effect, of: stream, reader, output) else { return .missing }
                let key = run.key
                // Without --yes, refuse what would fail with it.
                _ = try run.after(act, at: .now(), file: reader.file, stream: stream)
                let done = Done(
                    file: reader.file ?? "", stream: stream, act: act, step: key.step, ordinal: key.ordinal,
                    name: run.name, before: run.status, isDone: arguments[.yes])
                return try await carryOut(done, output, reader) { journal in
                    try await journal.intervene(act, key, in: stream, reason: arguments[reason])
                }
            })
    }

    private static func carryOut(
        _ done: Done, _ output: Output, _ reader: JournalReader, _ act: (Journal) async throws -> Void
    ) async throws -> ExitCode {
        if done.isDone { try await reader.writing(act) }
        if output.isJSON {
            try output.object(done, keys)
        } else {
            try output.line(done.sentence)
        }
        return .fine
    }

    /// What was done, or would be done.
    private struct Done {
        var file: String
        var stream: String
        var act: Intervention.Act
        var step: Int
        var ordinal: Int?
        var name: String
        var before: EffectRun.Status?
        var isDone: Bool

        var sentence: String {
            let what =
                ordinal.map { "effect \(step).\($0) '\(SafeText.escape(name))' (\(before?.rawValue ?? ""))" }
                ?? "step \(step)\(name.isEmpty ? "" : " '\(SafeText.escape(name))'")"
            let whole = "\(what) of the stream '\(SafeText.escape(stream))'"
            if !isDone { return "Would \(act.rawValue) \(whole). Nothing was changed; add --yes to do it." }
            switch act {
            case .cancel: return "Cancelled \(whole)."
            case .retry: return "Will run again: \(whole)."
            case .release: return "Released \(whole)."
            case .skip: return "Skipped \(whole)."
            }
        }
    }

    private static let trace = " The intervention is recorded in the journal."

    private static let step = Positional(name: "STEP", help: "The step.", completion: .nothing)
    private static let reason = Option<String>.text("reason", "TEXT", help: "The reason, which is recorded.")

    private static let keys: [Key<Done>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("stream", "the stream") { .text($0.stream) },
        Key("act", "cancel, retry, release or skip") { .text($0.act.rawValue) },
        Key("step", "the step, or the step of the effect") { .number($0.step) },
        Key("ordinal", "the effect's ordinal among those of the step; null for a step") { .number($0.ordinal) },
        Key("name", "the name of the effect, or of the action") { .text($0.name) },
        Key("before", "the effect's previous status") { .text($0.before?.rawValue) },
        Key("done", "whether it was done; false without --yes") { .bool($0.isDone) },
    ]
}
