import JournalStore

// The acts of an operator on effects. Without --yes they only report what they would do.

extension Command {
    /// `cancel FILE [STREAM] [EFFECT]`
    static let cancel = intervention(
        .cancel, summary: "Cancel effects that have not ended.",
        discussion: "No action of them reaches the reducer any more, except that of `onCancel`.", usual: "live effects")

    /// `retry FILE [STREAM] [EFFECT]`
    static let retry = intervention(
        .retry, summary: "Run failed or cancelled effects again.",
        discussion: """
            They start as soon as the app has the stream open; their remembered steps do not run again. A body can run \
            twice, whatever the restart policy is. With --status cancelled add --name: the machine itself has \
            cancelled effects too, such as the timeouts of work that ended in time.
            """,
        usual: "failed effects")

    /// `release FILE [STREAM] [EFFECT]`
    static let release = intervention(
        .release, summary: "Start effects that wait for a decision (asked) or are parked.",
        discussion: """
            They start as soon as the app has the stream open. A body that had begun runs a second time, whatever the \
            restart policy is. The asked effects of a fork or a detached copy run in the original too.
            """,
        usual: "asked and parked effects")

    private static func intervention(
        _ act: Intervention.Act, summary: String, discussion: String, usual: String
    ) -> Command {
        Command(
            name: act.rawValue, summary: summary,
            discussion: discussion + """

                Name one effect, or select several, of one stream or of all streams, with --name, --status, \
                --older-than and --newer-than. Without --status these select \(usual).
                """ + Writing.operatorManners + OperatorReport.trace,
            positionals: [.file, streamOfEffects, .someEffect],
            options: [.stream] + RunFilter.options + [OperatorReport.reason, OperatorClient.wait, .dryRun, .yes],
            keys: OperatorReport.keys.map(\.row),
            work: .reading { arguments, reader, output in
                let filter = try RunFilter(arguments)
                var report = try OperatorReport(arguments, reader, output)
                guard arguments[.someEffect].isEmpty else {
                    guard filter.isEmpty else {
                        // A lone word that reads as an effect is one; it may be meant as a stream.
                        try arguments.checkIsGiven(.someEffect, readAs: "effect", reader)
                        throw UsageError(
                            "EFFECT names one effect: leave out --name, --status, --older-than and --newer-than.")
                    }
                    let stream = try arguments.theStream(reader)
                    let run = try arguments.run(.someEffect, of: stream, reader)
                    return try await report.carryOut(OperatorAct(act, on: run, of: stream, reader))
                }
                let stream = try arguments.namedStream()
                guard !filter.isEmpty else {
                    throw UsageError(
                        "Name an effect, such as 17.0, or select effects with --name, --status, --older-than or "
                            + "--newer-than.")
                }
                var acts: [OperatorAct] = []
                try filter.forEach(of: stream, usual: act.usual, reader) { page in
                    for listed in page {
                        do throws(JournalError) {
                            acts.append(try OperatorAct(act, on: listed.run, of: listed.stream, reader))
                        } catch {
                            guard error.isOfOneEffect else { throw error }
                            report.leaveOut(error)
                        }
                    }
                }
                if act == .cancel {
                    // The end of a running effect lets its queue start the next one, which is to be cancelled too.
                    acts = acts.filter { $0.before == .waiting } + acts.filter { $0.before != .waiting }
                }
                guard !acts.isEmpty || report.hasLeftOut else {
                    let remark = try filter.remark(of: stream, usual: act.usual, reader)
                    let hint = filter.statuses == nil ? " Without --status only \(usual) are selected." : ""
                    try output.note(remark + hint)
                    return .fine
                }
                if act == .retry, filter.names.isEmpty, acts.contains(where: { $0.before == .cancelled }) {
                    try output.note(
                        "The machine itself has cancelled effects too, such as the timeouts of work that ended in "
                            + "time: --name selects the others, and `interventions --act cancel` lists what operators "
                            + "have cancelled.")
                }
                return try await report.carryOut(act, acts)
            })
    }

    private static let streamOfEffects = Positional(
        name: Positional.stream.name,
        help: "The stream; for one effect, required if the journal has several. Without it, filters select from all.",
        completion: .nothing, isOptional: true)
}
