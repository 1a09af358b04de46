import JournalStore

extension Command {
    /// `effects FILE [STREAM]`
    static let effects = Command(
        name: "effects",
        summary: "List the effects that have not ended; with --all, every recorded one.",
        discussion: """
            An effect is written as its step and its ordinal among the effects of that step: 17.0 is the first effect \
            of step 17. Timers and messages to other machines are listed as well: see KIND. Streams are listed in the \
            order of their creation, effects in the order of their steps.
            --status selects effects with these statuses, whether or not they have ended. Some of them: asked waits for \
            a decision, parked seems to crash the process, orphaned is returned by no code any more, cancelling lasts \
            until its cancel action is sent; evicted and discarded are what its queue did with it.
            """,
        positionals: [.file, .stream],
        options: [.stream, all] + RunFilter.options,
        keys: RunRow.keys.map(\.row),
        work: .reading { arguments, reader, output in
            let filter = try RunFilter(arguments, isAll: arguments[all])
            let stream = try arguments.namedStream()
            var listing = Listing(output, keys: RunRow.keys, columns: RunRow.columns(withStream: stream == nil))
            var isAnyRunning = false
            var crashLoops = CrashLoopNotes()
            var unreadable = Unreadable()
            try filter.forEach(of: stream, usual: .live, reader, damaged: { unreadable.addRow($0) }) { page in
                if page.contains(where: { $0.run.status == .running }) { isAnyRunning = true }
                crashLoops.add(page)
                try listing.write(page)
            }
            let hint = filter.statuses == nil ? "--all lists those that have ended, too." : nil
            if let error = unreadable.error(reader.file) { throw error }
            if listing.isEmpty {
                let remark = try filter.remark(of: stream, usual: .live, reader)
                try output.note([remark, hint].compactMap(\.self).joined(separator: " "))
            } else if let hint, !output.isJSON {
                try output.note("Only effects that have not ended; \(hint)")
            }
            if isAnyRunning { try output.noteInterruption(reader) }
            try crashLoops.write(of: stream, reader, to: output)
            return .fine
        })

    private static let all = Flag("all", help: "Every recorded effect, also those that have ended.")
}

extension Output {
    /// After effects that are recorded as running: says so if there is no process in which they run.
    func noteInterruption(_ reader: JournalReader) throws(Failure) {
        guard !isJSON, let file = reader.file else { return }
        do {
            guard try JournalHolder(of: file) == nil else { return }
            // A process has it open under the name that it had before: a warning says so.
            if try reader.missingEntries()?.code == .inUse { return }
        } catch {
            return warning(error.description)
        }
        try note(
            "No process has this journal open: what was running goes on when its stream is opened, as its "
                + "restart policy says."
        )
    }
}
