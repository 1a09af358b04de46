import JournalStore

/// Writes a page of a journal to a file: see `docs/page.md`.
///
/// The journal is read page by page, and its data goes to a draft first, because the summary stands before it. Memory
/// grows with the number of streams, openings and interventions, which the summary has, not with the other history.
struct PageExport {
    let reader: JournalReader
    let machines: Machines
    let options: PageOptions

    /// - Returns: what the page holds.
    func write(to path: String) throws -> PageReport {
        let file = try NewFile(path, isJournal: false)
        defer { Platform.remove(file.draft) }
        do {
            var report = try writeData(to: file.draft)
            try assemble(report.summary, file)
            report.bytes = Platform.status(ofPath: file.partial)?.size ?? 0
            try file.giveName()
            report.target = file.target
            return report
        } catch {
            Platform.remove(file.partial)
            if let known = error as? JournalError { throw file.named(known) }
            throw error
        }
    }

    private func assemble(_ summary: JSON, _ file: NewFile) throws(JournalError) {
        let parts = PageAssets.file.parts(
            summary: PageChunks.element(" id=\"summary\"", Array(summary.json.utf8)))
        let page = try ByteFile(creating: file.partial, like: reader.file)
        try page.write(parts.head)
        let draft = try ByteFile(reading: file.draft)
        while let bytes = try draft.read() { try page.write(bytes) }
        try page.write(parts.tail)
        try page.sync()
    }

    private func writeData(to draft: String) throws -> PageReport {
        // Read first: what is committed later is not in the page.
        let last = try reader.lastPosition()
        let known = try reader.streams()
        for stream in options.streams { _ = try reader.stream(stream.name) }
        var streams = PageStreams(known.filter { options.hasStream($0.name) })
        let chunks = PageChunks(try ByteFile(creating: draft, like: reader.file))
        var summary = PageSummary(file: reader.file, options: options, machines: machines.names)
        var broken: [Int: String] = [:]
        let newest = try writeSteps(upTo: last, &streams, chunks, &summary, &broken)
        try checkEnds(of: streams, &broken)
        try writeRuns(streams, chunks, &summary)
        try writeStates(newest, &streams, chunks)
        summary.restarts = try reader.openings().filter(\.isRestart).map(\.time)
        summary.interventions = try interventions(streams)
        let damaged = broken.map { (stream: streams.rows[$0.key].info.name, note: $0.value) }
        return PageReport(
            streams: streams.rows.count, steps: summary.stepCount, omitted: summary.omitted, effects: summary.runCount,
            states: streams.rows.reduce(0) { $0 + ($1.states?.count ?? 0) },
            problems: damaged.sorted { $0.stream < $1.stream }
                + streams.rows.compactMap { row in row.statesNote.map { (row.info.name, $0) } },
            isDamaged: !broken.isEmpty, summary: summary.json(streams))
    }

    /// Notes the streams whose newest entries are missing: no later entry tells that.
    private func checkEnds(of streams: PageStreams, _ broken: inout [Int: String]) throws {
        for (number, row) in streams.rows.enumerated() where broken[number] == nil {
            do throws(JournalError) { _ = try reader.newestEntry(of: row.info) } catch {
                guard error.isDamage else { throw error }
                broken[number] = "step \(error.step ?? row.info.headStep): \(error.message)"
            }
        }
    }

    // MARK: Parts

    /// - Parameter broken: gets the first entry of each stream that is not what was written.
    /// - Returns: the first step of each stream that shall have a state.
    private func writeSteps(
        upTo last: Int, _ streams: inout PageStreams, _ chunks: PageChunks, _ summary: inout PageSummary,
        _ broken: inout [Int: String]
    ) throws -> [Int: Int] {
        var chains = EntryChains(reader)
        var steps = PageSteps(chunks, options.redaction)
        let mostStates = if case .newest(let count) = options.states { count } else { 0 }
        var newest = NewestSteps(mostStates)
        var pages = try PageEntries(reader, streams, options, upTo: last)
        while let page = try pages.next() {
            for entry in page.entries {
                guard let stream = streams.number(entry.stream) else { continue }
                let info = streams.rows[stream].info
                do throws(JournalError) { try chains.check(entry) } catch {
                    guard error.isDamage else { throw error }
                    broken[stream] = broken[stream] ?? "step \(error.step ?? entry.step): \(error.message)"
                }
                try steps.add(
                    entry, stream: stream, sender: entry.causeStream.map { streams.number($0) ?? -1 },
                    page.record(of: entry, info.id), isSettled: entry.step <= info.settledStep)
                streams.add(entry.step, of: stream)
                newest.add(entry.step, of: stream)
            }
        }
        try steps.flush()
        summary.add(steps.columns)
        findLate(after: last, &streams)
        summary.omitted = streams.omitted
        switch options.states {
        case .none: return [:]
        case .newest: return newest.oldest
        case .all:
            return Dictionary(
                uniqueKeysWithValues: streams.rows.enumerated().filter { $0.element.steps > 0 }
                    .map { ($0.offset, $0.element.first) })
        }
    }

    /// Finds the steps that an app has committed between the reading of the last position and of the streams. Those of
    /// a stream without steps in the page would be taken for older ones.
    private func findLate(after last: Int, _ streams: inout PageStreams) {
        for (number, row) in streams.rows.enumerated() where row.steps == 0 {
            let late = PageStreams.late(of: row.info, after: last) { step in
                // What cannot be read is found by the check of the ends.
                let entry = try? reader.entries(in: row.info.name, from: step, limit: 1).first
                return entry?.step == step ? entry?.position : nil
            }
            streams.setLate(late, of: number)
        }
    }

    private func writeRuns(
        _ streams: PageStreams, _ chunks: PageChunks, _ summary: inout PageSummary
    ) throws {
        var runs = PageRuns(chunks, RunTexts(reader: reader, redaction: options.redaction))
        try forEachName(streams) { name in
            try reader.forEachRun(of: name) { try runs.add($0, of: streams) }
        }
        try runs.flush()
        summary.add(runs.numbers, count: runs.count)
    }

    /// What operators did to the streams.
    private func interventions(_ streams: PageStreams) throws -> [(stream: Int, act: Intervention)] {
        var found: [(stream: Int, act: Intervention)] = []
        try forEachName(streams) { name in
            try reader.forEachIntervention(of: name) { page in
                found += page.compactMap { listed in streams.number(listed.stream).map { ($0, listed.intervention) } }
            }
        }
        return found
    }

    /// Calls `read` for each stream that was named; once, with nil, if the page shows all.
    private func forEachName(_ streams: PageStreams, _ read: (_ name: String?) throws -> Void) throws {
        guard !options.streams.isEmpty else { return try read(nil) }
        for row in streams.rows { try read(row.info.name) }
    }

    /// What to tell if a snapshot has another state than the code computes: an opening would begin with the snapshot, and the
    /// page shows what the code computes. A base counts in both.
    private func noteOfOtherCode(
        _ info: StreamInfo, _ first: Int, _ last: Int, _ session: any ReplaySession
    ) -> String? {
        // An opening does not begin with a snapshot that cannot be read or decoded.
        guard let mark = try? reader.newestMark(of: info, atOrBefore: last), mark.step > first, !mark.isBase,
            (try? session.isOfOtherCode(mark)) == true
        else { return nil }
        return "The snapshot of step \(mark.step) has another state than this code computes: `verify` compares them."
    }

    private func writeStates(_ oldest: [Int: Int], _ streams: inout PageStreams, _ chunks: PageChunks) throws {
        var states = PageStates(chunks, options)
        for (stream, step) in oldest.sorted(by: { $0.key < $1.key }) {
            let row = streams.rows[stream]
            guard machines.knows(row.info) else { continue }
            // The state before the first step shows what that step changed.
            let first = max(step - 1, row.info.prunedStep)
            let session = try machines.session(on: row.info.name, reader)
            let (last, problem) = try states.add(session, stream: stream, first...max(first, row.last))
            var notes: [String] = []
            if let last {
                let shown: [(Int, ShownPart)] = [(first, .state), (min(first + 1, last), .computedState)]
                if let note = try reader.noteOfOlderCode(at: shown, of: row.info.name, than: session.version) {
                    notes.append(note)
                }
                if let note = noteOfOtherCode(row.info, first, last, session) { notes.append(note) }
            }
            if let problem {
                let end = last.map { "The states end after step \($0): " } ?? "No state can be computed: "
                notes.append(end + (options.redaction.isEmpty ? problem : "a step cannot be reduced."))
            }
            let note = notes.isEmpty ? nil : notes.joined(separator: " ")
            streams.setStates(last.map { first...$0 }, note: note, of: stream)
        }
    }
}
