extension JournalReader {
    /// Reads the whole journal and checks everything that can be checked without its machines: file, schema, the steps
    /// and digests of each stream, heads, snapshots, records, and the entries that the last writer acknowledged.
    ///
    /// It can run while an app writes; it then checks what was there when it began. SQLite's own check and that of the
    /// records are long read transactions, during which the WAL grows.
    ///
    /// It blocks the calling thread until it is done: in `async` code, call it from a thread of your own.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read at all. Damage that is found is in the report.
    public func verify() throws(JournalError) -> VerificationReport {
        var report = VerificationReport()
        // This check runs first: entries that are acknowledged later are not compared.
        try checking(&report) { () throws(JournalError) in
            try missingEntries().map { [Problem(message: $0.sentences, isOfMissingEntries: true)] } ?? []
        }
        try checking(&report) { () throws(JournalError) in try checkFile() }
        try checking(&report) { () throws(JournalError) in try checkSchema() }
        try checking(&report) { () throws(JournalError) in try checkTables() }
        var last: StreamID?
        repeat {
            var (page, next): ([StreamInfo], StreamID?) = ([], nil)
            try checking(&report) { [last] () throws(JournalError) in
                // The check of the tables has listed the damaged rows.
                let found: ([StreamInfo], StreamID?) = try read("reading the streams") {
                    database throws(DatabaseError) in
                    let found = try database.soundStreams(after: last, limit: 1_000)
                    return (found.streams, found.last)
                }
                (page, next) = found
                return []
            }
            for stream in page {
                report.streams += 1
                try check(stream, &report)
            }
            last = next
        } while last != nil
        // Other damage can change the number of entries, too.
        if report.isSound { try checking(&report) { () throws(JournalError) in try checkStreams() } }
        return report
    }

    private typealias Problem = VerificationReport.Problem

    /// Damage that stops one check is reported as a problem, and the other checks go on.
    private func checking(
        _ report: inout VerificationReport, _ check: () throws(JournalError) -> [Problem]
    ) throws(JournalError) {
        do throws(JournalError) {
            for problem in try check() { report.add(problem) }
        } catch  where error.code == .corrupt {
            report.add(Problem(stream: error.stream, step: error.step, message: error.message))
        }
    }

    private func checkFile() throws(JournalError) -> [Problem] {
        try read("checking the file") { database throws(DatabaseError) in
            try database.integrityProblems().map {
                // Not of the journal's tables and indexes, which call none.
                let isOfAddition = $0.hasPrefix("unknown function: ")
                return Problem(message: "SQLite: \($0)", isOfSchema: isOfAddition, isOfAddition: isOfAddition)
            }
        }
    }

    private func checkSchema() throws(JournalError) -> [Problem] {
        try read("checking the schema") { database throws(DatabaseError) in
            // A reader does not migrate: the schema can be an older one.
            let version = try database.userVersion()
            return try SchemaCheck(database.connection, version: version).differences.filter(\.concernsWriting).map {
                Problem(message: $0.message, isOfSchema: true, isOfAddition: $0.isAddition)
            }
        }
    }

    private func checkTables() throws(JournalError) -> [Problem] {
        try read("checking the records") { database throws(DatabaseError) in
            var problems = try database.looseReferences().map { Problem(message: $0) }
            problems += try database.damagedRows()
            problems += try database.looseRecords()
            problems += try database.incompleteStreams().map {
                Problem(stream: $0, message: "a record of an effect, a step or a dispatch ID is missing or was added")
            }
            return problems
        }
    }

    /// Finds out whether whole streams are missing: nothing in the other streams' rows tells.
    private func checkStreams() throws(JournalError) -> [Problem] {
        let surplus = try read("counting the entries") { database throws(DatabaseError) in try database.surplus() }
        guard let surplus, surplus.found != surplus.recorded else { return [] }
        let (count, _) = surplus.found.subtractingReportingOverflow(surplus.recorded)
        let entries = Int(clamping: count.magnitude).counted("entry", "entries")
        return [
            Problem(
                message: count > 0
                    ? "the streams lack \(entries): a stream was removed, or replaced by an older copy of it"
                    : "the streams have \(entries) too many: a stream was added, or replaced by a newer copy of it")
        ]
    }

    /// Checks the chain of a stream whose row was read before.
    func check(_ stream: StreamInfo, _ report: inout VerificationReport) throws(JournalError) {
        var part = try checkChain(of: stream)
        var pruned = stream.prunedStep
        // A pruning since then has removed entries that the row has.
        while !part.isSound, let now = try row(of: stream), now.prunedStep > pruned {
            (part, pruned) = (try checkChain(of: now), now.prunedStep)
        }
        report.entries += part.entries
        report.snapshots += part.snapshots
        for problem in part.problems { report.add(problem) }
    }

    /// The row of a stream now; nil if it is damaged.
    func row(of stream: StreamInfo) throws(JournalError) -> StreamInfo? {
        do throws(JournalError) {
            return try read("reading the stream", stream: stream.name) { database throws(DatabaseError) in
                try database.stream(stream.id)
            }
        } catch  where error.code == .corrupt {
            return nil
        }
    }

    private func checkChain(of stream: StreamInfo) throws(JournalError) -> VerificationReport {
        var report = VerificationReport()
        do throws(JournalError) {
            let snapshots = try read("reading the snapshots", stream: stream.name) { database throws(DatabaseError) in
                try database.snapshotDigests(of: stream.id)
            }
            report.snapshots = snapshots.byStep.count
            var check = ChainCheck(of: stream, snapshots.byStep)
            try forEachLink(of: stream, upTo: stream.headStep) { links throws(JournalError) in
                for link in links { check.check(link) }
                report.entries += links.count
                report.add(check.takeProblems(), of: stream, bases: snapshots.bases)
            }
            check.end(headStep: stream.headStep, headDigest: stream.headDigest)
            report.add(check.takeProblems(), of: stream, bases: snapshots.bases)
        } catch  where error.code == .corrupt {
            report.add(Problem(stream: stream.name, step: error.step, message: error.message))
        }
        return report
    }

    /// Reads what the check of a chain needs, up to a step.
    func forEachLink(
        of stream: StreamInfo, upTo last: Int, _ body: ([ChainCheck.Link]) throws(JournalError) -> Void
    ) throws(JournalError) {
        var next = 0
        while next <= last {
            let links = try read("reading entries", stream: stream.name) { [next] database throws(DatabaseError) in
                try database.links(of: stream.id, from: next, upTo: last, limit: 1_000)
            }
            try body(links)
            // In a damaged tree SQLite can find the same entries again. The check has found that.
            guard let newest = links.last, newest.step >= next else { break }
            next = newest.step + 1
        }
    }
}

extension ChainCheck {
    /// - Parameter snapshots: the digest that each snapshot stores, by step.
    init(of stream: StreamInfo, _ snapshots: [Int: Digest]) {
        self.init(
            genesis: .genesis(name: stream.name, machine: stream.machine, seed: stream.seed.bytes),
            prunedStep: stream.prunedStep, snapshots: snapshots)
    }
}

extension VerificationReport {
    /// - Parameter bases: the steps of the stream's bases; its other snapshots can be computed again.
    fileprivate mutating func add(_ problems: [ChainCheck.Problem], of stream: StreamInfo, bases: Set<Int>) {
        for problem in problems {
            var isOfCache = false
            if case .snapshotOfOtherHistory(let step) = problem { isOfCache = !bases.contains(step) }
            add(Problem(stream: stream.name, step: problem.step, message: problem.message, isOfCache: isOfCache))
        }
    }
}

extension JournalReader {
    /// An error if entries that the last writer acknowledged are missing, or if that cannot be known because the -lock
    /// is damaged, may not be read by this user, or was written by a newer version; nil if none are missing.
    ///
    /// Opening for writing would fail with this error, or report it. The check is cheap: it reads three rows.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func missingEntries() throws(JournalError) -> JournalError? {
        guard let file else { return nil }
        let writer = try read("reading the last writer") { database throws(DatabaseError) in try database.writer() }
        if let error = writer.flatMap({ RenamedJournal.error($0.path, now: file) }) { return error }
        switch try Sidecar.memory(besides: file) {
        case .nothing:
            return nil
        case .forgotten:
            return LossCheck.nothingRemembered(file, isNew: false)
        case .forbidden:
            return JournalError(
                .cannotOpen,
                "\(Sidecar.path(besides: file)) cannot be read: it is unknown whether entries are missing.",
                advice: "Run the check as a user who may read that file.", file: file)
        case .damaged:
            return LossCheck.damagedSidecar(file)
        case .replacing:
            return LossCheck.replacing(file)
        case .newer:
            return LossCheck.newerSidecar(file, isOpening: false)
        case .acknowledged(let last, let holder):
            let found = try read("looking for the last acknowledged entry") { database throws(DatabaseError) in
                LossCheck.JournalEnd(
                    journal: writer?.journal ?? [], lastPosition: try database.lastPosition(),
                    digest: try database.entryDigest(atPosition: last.position),
                    lastTransaction: try database.lastTransaction(of: last.stream))
            }
            return LossCheck.error(LossCheck.judge(last, by: holder, now: .current(), found: found), file: file)
        }
    }
}
