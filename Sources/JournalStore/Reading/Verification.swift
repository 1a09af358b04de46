extension JournalReader {
    /// Reads the whole journal and checks everything that can be checked without its machines: file, schema, the steps
    /// and digests of each stream, heads, snapshots, records, and the entries that the last writer acknowledged.
    ///
    /// It can run while an app writes; it then checks what was there when it began. SQLite's own check is one long read
    /// transaction, during which the WAL grows.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read at all. Damage that is found is in the report.
    public func verify() throws(JournalError) -> VerificationReport {
        var report = VerificationReport()
        // This check runs first: entries that are acknowledged later are not compared.
        try checking(&report) { () throws(JournalError) in
            try missingEntries().map { [Problem(message: "\($0.message) \($0.advice)")] } ?? []
        }
        try checking(&report) { () throws(JournalError) in try checkFile() }
        try checking(&report) { () throws(JournalError) in try checkSchema() }
        try checking(&report) { () throws(JournalError) in try checkTables() }
        var last: StreamInfo?
        repeat {
            var page: [StreamInfo] = []
            try checking(&report) { [last] () throws(JournalError) in
                page = try streams(after: last)
                return []
            }
            for stream in page {
                report.streams += 1
                try check(stream, &report)
            }
            last = page.last
        } while last != nil
        // Other damage can change the number of entries, too.
        if report.isSound { try checking(&report) { () throws(JournalError) in try checkStreams() } }
        return report
    }

    private typealias Problem = VerificationReport.Problem

    /// Damage that stops one check is reported as a problem, and the other checks go on.
    private func checking(
        _ report: inout VerificationReport, stream: String? = nil,
        _ check: () throws(JournalError) -> [Problem]
    ) throws(JournalError) {
        do throws(JournalError) {
            for problem in try check() { report.add(problem) }
        } catch  where error.code == .corrupt {
            report.add(Problem(stream: stream ?? error.stream, step: error.step, message: error.message))
        }
    }

    private func checkFile() throws(JournalError) -> [Problem] {
        try read("checking the file") { database throws(DatabaseError) in
            try database.integrityProblems().map { Problem(message: "SQLite: \($0)") }
        }
    }

    private func checkSchema() throws(JournalError) -> [Problem] {
        try read("checking the schema") { database throws(DatabaseError) in
            try SchemaCheck(database.connection).differences.filter(\.concernsWriting).map {
                Problem(message: $0.message)
            }
        }
    }

    private func checkTables() throws(JournalError) -> [Problem] {
        try read("checking the records") { database throws(DatabaseError) in
            let records = try database.damagedRows() + database.looseRecords()
            return try database.looseReferences().map { Problem(message: $0) }
                + records.map {
                    Problem(stream: $0.stream, step: $0.step, message: $0.message, isOfCache: $0.isOfCache)
                }
                + database.incompleteStreams().map {
                    Problem(
                        stream: $0, message: "a record of an effect, a step or a dispatch ID is missing or was added")
                }
        }
    }

    /// Finds out whether whole streams are missing: nothing in the other streams' rows tells.
    private func checkStreams() throws(JournalError) -> [Problem] {
        let surplus = try read("counting the entries") { database throws(DatabaseError) in try database.surplus() }
        guard let surplus, surplus.found != surplus.recorded else { return [] }
        let (count, _) = surplus.found.subtractingReportingOverflow(surplus.recorded)
        let entries = count.magnitude == 1 ? "1 entry" : "\(count.magnitude) entries"
        return [
            Problem(
                message: count > 0
                    ? "the streams lack \(entries): a stream was removed, or replaced by an older copy of it"
                    : "the streams have \(entries) too many: a stream was added, or replaced by a newer copy of it")
        ]
    }

    private func check(_ stream: StreamInfo, _ report: inout VerificationReport) throws(JournalError) {
        var entries = 0
        var compared = 0
        try checking(&report, stream: stream.name) { () throws(JournalError) in
            let snapshots = try read("reading the snapshots", stream: stream.name) { database throws(DatabaseError) in
                try database.snapshotDigests(of: stream.id)
            }
            compared = snapshots.byStep.count
            var check = ChainCheck(
                genesis: .genesis(name: stream.name, machine: stream.machine, seed: stream.seed),
                prunedStep: stream.prunedStep, snapshots: snapshots.byStep)
            var next = 0
            while true {
                let links = try read("reading entries", stream: stream.name) {
                    [next] database throws(DatabaseError) in
                    try database.links(of: stream.id, from: next, upTo: stream.headStep, limit: 1_000)
                }
                for link in links { check.check(link) }
                entries += links.count
                guard let last = links.last, last.step < stream.headStep else { break }
                next = last.step + 1
            }
            check.end(headStep: stream.headStep, headDigest: stream.headDigest)
            return check.problems.map { problem in
                var found = Problem(stream: stream.name, step: problem.step, message: problem.message)
                if case .snapshotOfOtherHistory = problem {
                    found.isOfCache = !snapshots.bases.contains(problem.step)
                }
                return found
            }
        }
        report.entries += entries
        report.snapshots += compared
    }
}

extension JournalReader {
    /// The error that entries acknowledged by the last writer are missing; nil if none are.
    ///
    /// Opening for writing would fail with this error. The check is cheap: it reads three rows.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read.
    public func missingEntries() throws(JournalError) -> JournalError? {
        guard let file else { return nil }
        let writer = try read("reading the last writer") { database throws(DatabaseError) in try database.writer() }
        if let error = writer.flatMap({ RenamedJournal.error($0.path, now: file) }) { return error }
        switch try Sidecar.memory(besides: file) {
        case .nothing:
            return nil
        case .unreadable:
            return JournalError(
                .acknowledgedEntriesLost,
                "\(Sidecar.path(besides: file)) cannot be read or is damaged: it is unknown if entries are missing.",
                advice: "Run the check as a user who may read that file.", file: file)
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
