import JournalStore

extension Command {
    /// `fork FILE OUT --at STEP`
    static let fork = Command(
        name: "fork",
        summary: "Create a new journal from one stream as it was after a step.",
        discussion: """
            Up to that step, the fork has the same history: entries, digests, states. After it, the same actions \
            result in other IDs and random numbers. Effects that were live at that step wait for a decision in the \
            fork (status asked), because the original runs them: 'release' starts one, 'cancel' ends it. A message to \
            another machine can only be released. A released effect keeps all results that it has remembered, also \
            those from after that step, because their times are not recorded. Other streams are left out; a stream that had sent a message to this one stays as an empty \
            stream "… (before the fork)".
            The fork is verified and synced before it gets its name. An app may write to the original meanwhile.
            """,
        positionals: [.file, .theStream, .out],
        options: [step, .stream],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            guard let place = arguments[step] else {
                throw UsageError("'--at' is missing: name the last step to keep.")
            }
            try arguments.checkIsGiven(.out, reader)
            let target = try Arguments.newFile(arguments[.out])
            let name = try arguments.theStream(reader)
            let at = try place.step(name, reader)
            guard at > 0 else {
                let (message, advice) =
                    place == .last
                    ? ("The stream has no step yet that a fork can keep.", "Fork it when it has one.")
                    : ("The stream had no step at that time.", "Choose a later time, or a step from 1 on.")
                throw JournalError(.noSuchStep, message, advice: advice, file: reader.file, stream: name)
            }
            let omitted = try await reader.makeFork(of: name, at: at, to: target)
            var asked = 0
            // The fork is complete, so an error of the reader is none of the command.
            do {
                try JournalReader(path: target).forEachRun(of: name, isLive: true) { page in
                    asked += page.count { $0.run.status == .asked }
                }
            } catch {
                output.warning("The fork is complete, but its effects could not be counted. \(error)")
            }
            let fork = Fork(
                file: reader.file ?? "", target: Platform.resolve(target) ?? target, stream: name, step: at,
                asked: asked,
                bytes: Platform.status(ofPath: target)?.size ?? 0, omitted: omitted)
            if output.isJSON {
                try output.object(fork, keys)
            } else {
                try output.line(
                    "Forked stream '\(SafeText.escape(name))' at step \(at) to \(SafeText.escape(fork.target)): "
                        + "\(Quantity.bytes(fork.bytes)), verified.")
                if fork.asked > 0 {
                    try output.line(
                        Quantity.counted(fork.asked, "effect waits", "effects wait") + " for a decision: "
                            + "'effects --status asked' lists \(fork.asked == 1 ? "it" : "them").")
                }
            }
            warn(ofOmittedSnapshots: omitted, output)
            return .fine
        })

    private struct Fork {
        var file: String
        var target: String
        var stream: String
        var step: Int
        var asked: Int
        var bytes: Int64
        var omitted: Int
    }

    private static let step = Option<Place>(
        "at", "STEP|TIME", help: "The last step to keep in the fork: a step, 'last', or the last step up to a time.",
        expected: "a step of 1 or more, 'last', or \(Timestamp.examples)"
    ) { text in Place(text).flatMap { $0 == .step(0) ? nil : $0 } }.asRequired

    private static let keys: [Key<Fork>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("fork", "the path of the fork, absolute and without links") { .text($0.target) },
        Key("stream", "the stream") { .text($0.stream) },
        Key("step", "the newest step of the fork") { .number($0.step) },
        Key("asked", "the number of effects that wait for a decision") { .number($0.asked) },
        Key("bytes", "the size of the fork") { .number($0.bytes) },
        Key("omittedSnapshots", "the number of damaged snapshots that it lacks") { .number($0.omitted) },
    ]
}
