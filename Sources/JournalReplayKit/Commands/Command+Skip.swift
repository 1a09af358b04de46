import JournalStore

extension Command {
    /// `skip FILE [STREAM] STEP`
    static let skip = Command(
        name: "skip",
        summary: "Skip a step whose reducer crashes the app, or whose action cannot be decoded.",
        discussion: """
            The state stays as it was before the step, and the app continues after it. A step can be skipped only if \
            its outcome is not recorded yet: the app has crashed while it reduced the step, or it has not reduced it \
            yet, such as a message whose receiver is closed. So skip only the step that the app's notice \
            `died-reducing` names, or whose action an opening cannot decode (`not-decodable`).
            """ + Writing.operatorManners + OperatorReport.trace,
        positionals: [.file, .theStream, step],
        options: [.stream, OperatorReport.reason, OperatorClient.wait, .dryRun, .yes],
        keys: OperatorReport.keys.map(\.row),
        work: .reading { arguments, reader, output in
            var report = try OperatorReport(arguments, reader, output)
            let stream = try arguments.theStream(reader)
            let number = try arguments.entry(step, stream, reader)
            return try await report.carryOut(OperatorAct(skipping: number, of: stream, reader))
        })

    private static let step = Positional.step(help: "The step, or 'last'.", lowest: 1)
}
