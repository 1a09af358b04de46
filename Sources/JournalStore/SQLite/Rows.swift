// Rows become values here, and nowhere else. What a file holds is checked: the row digest, the range of each number,
// and each word. STRICT tables guarantee the types. Everything else is damage, and throws.

/// The ranges of stored numbers. They are wide enough for any journal, and narrow enough that no sum of a few
/// overflows.
enum StoredRange {
    /// Steps, positions and counts.
    static let count: ClosedRange<Int64> = 0...Int64(last)
    /// The last step, and the last position.
    static var last: Int { 1 << 53 }
    static let surplus: ClosedRange<Int64> = -1 << 53...1 << 53
    static let ordinal: ClosedRange<Int64> = 0...1 << 31
    static let id: ClosedRange<Int64> = 1...1 << 53
    static let version = Int64(NewEntry.versions.lowerBound)...Int64(NewEntry.versions.upperBound)
    static let priority: ClosedRange<Int64> = 0...255
    /// Microseconds. A timer or a delay can be as far away as a number can say.
    static let time: ClosedRange<Int64> = .min ... .max
    static let delay: ClosedRange<Int64> = 0 ... .max
    /// Openings of a journal: a transaction number starts with the epoch, see `Opening`.
    static let epoch: ClosedRange<Int64> = 0...1 << 30
    static let transaction: ClosedRange<Int64> = 0...1 << 62
}

extension Row {
    /// Throws unless the row has the digest that its values demand.
    ///
    /// - Parameter column: the check that the statement computed.
    func checkDigest(_ column: Int32, _ table: DigestedTable) throws(DatabaseError) {
        guard integer(column) == 1 else { throw .damagedRow("a row of the table \(table.rawValue) has another digest") }
    }

    func number(_ column: Int32, _ range: ClosedRange<Int64>, _ what: StaticString) throws(DatabaseError) -> Int {
        let number = integer(column)
        guard range.contains(number) else { throw .damagedRow("\(what) is out of range") }
        return Int(number)
    }

    func optionalNumber(
        _ column: Int32, _ range: ClosedRange<Int64>, _ what: StaticString
    ) throws(DatabaseError) -> Int? {
        isNull(column) ? nil : try number(column, range, what)
    }

    /// A text that is the same when it is stored again. Bytes that are no UTF-8 would be replaced.
    func exactText(_ column: Int32, _ what: StaticString) throws(DatabaseError) -> String {
        let decoded = text(column)
        guard withText(column, { $0.elementsEqual(decoded.utf8) }) else { throw .damagedRow("\(what) is no text") }
        return decoded
    }

    func step(_ column: Int32) throws(DatabaseError) -> Int { try number(column, StoredRange.count, "a step") }

    func ordinal(_ column: Int32) throws(DatabaseError) -> Int { try number(column, StoredRange.ordinal, "an ordinal") }

    func time(_ column: Int32) throws(DatabaseError) -> Timestamp {
        Timestamp(microseconds: Int64(try number(column, StoredRange.time, "a time")))
    }

    func optionalTime(_ column: Int32) throws(DatabaseError) -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    func stream(_ column: Int32) throws(DatabaseError) -> StreamID {
        StreamID(rawValue: Int64(try number(column, StoredRange.id, "the ID of a stream")))
    }

    func version(_ column: Int32) throws(DatabaseError) -> Int { try number(column, StoredRange.version, "a version") }

    func optionalDigest(_ column: Int32) throws(DatabaseError) -> Digest? {
        isNull(column) ? nil : try digest(column)
    }
}

extension Migrator.Applied {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(4, .migration)
        self.init(number: Int(row.integer(0)), digest: try row.digest(2))
    }
}

extension Row {
    /// The number of the newest transaction that changed a stream.
    func transaction(_ column: Int32) throws(DatabaseError) -> Int64 {
        Int64(try number(column, StoredRange.transaction, "the number of a transaction"))
    }
}

extension JournalDatabase.WriterRow {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(5, .writer)
        self.init(
            journal: row.bytes(1), epoch: Int64(try row.number(2, StoredRange.epoch, "an epoch")), path: row.text(3),
            surplus: try row.number(4, StoredRange.surplus, "a surplus"))
    }
}

extension JournalOpening {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(4, .opening)
        self.init(
            number: try row.number(0, StoredRange.count, "the number of an opening"), time: try row.time(1),
            process: Int(row.integer(2)), library: row.text(3))
    }
}

extension StreamInfo {
    init(_ row: Row) throws(DatabaseError) {
        do throws(DatabaseError) { try row.checkDigest(14, .stream) } catch {
            throw changed(error) { $0.place = DatabaseError.Place(stream: row.text(1)) }
        }
        self.init(
            id: try row.stream(0), name: try row.exactText(1, "the name of a stream"),
            machine: try row.exactText(2, "the machine of a stream"), created: try row.time(3),
            headStep: try row.step(5), headDigest: try row.digest(6), settledStep: try row.step(7),
            prunedStep: try row.step(8), seed: StreamSeed(row.bytes(4)), hasBegun: row.integer(9) != 0)
        _ = try row.transaction(11)
        crashLoop = row.isNull(10) ? nil : try row.exactText(10, "the crash loop of a stream")
        records = RecordsDigest(all: try row.digest(12), live: try row.digest(13))
    }
}

extension LaterSeed {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(3, .seed)
        self.init(step: try row.step(1), seed: StreamSeed(row.bytes(2)))
    }
}

extension Cause {
    /// - Parameter column: that of the sender; those of the step and the run follow.
    init?(_ row: Row, _ column: Int32) throws(DatabaseError) {
        guard !row.isNull(column + 1) else {
            // Without a step there is no cause, and the entry's digest covers none.
            guard row.isNull(column), row.isNull(column + 2) else { throw .damagedRow("a cause without a step") }
            return nil
        }
        self.init(
            stream: row.isNull(column) ? nil : try row.stream(column), step: try row.step(column + 1),
            run: try row.optionalNumber(column + 2, StoredRange.ordinal, "an ordinal"))
    }
}

extension StoredOrigin {
    init(_ row: Row, _ column: Int32) throws(DatabaseError) {
        guard let origin = StoredOrigin(rawValue: Int(row.integer(column))) else {
            throw .damagedRow("an unknown origin")
        }
        self = origin
    }
}

extension Entry {
    init(_ row: Row) throws(DatabaseError) {
        let origin = try StoredOrigin(row, 4)
        self.init(
            position: try row.number(0, StoredRange.count, "a position"), stream: row.text(1), step: try row.step(2),
            time: try row.time(3), origin: origin.origin, cause: try Cause(row, 5),
            causeStream: row.optionalText(8), version: try row.version(9), action: row.text(10),
            cancelID: row.optionalText(12), digest: try row.digest(11), isProvisional: origin == .provisional)
    }
}

extension StoredSteps {
    mutating func append(_ row: Row) throws(DatabaseError) {
        let (number, version, origin) = (try row.step(0), try row.version(3), try StoredOrigin(row, 5))
        let cause = try Cause(row, 6)
        let stamp = Appended.Stamp(time: try row.time(1), digest: try row.digest(2))
        let cancelID = row.optionalText(9)
        let position = try row.number(10, StoredRange.count, "a position")
        row.withText(4) { action in
            let body = Digest.body(origin: origin, version: version, cause: cause, cancelID: cancelID, action: action)
            append(
                number, position: position, version: version, stamp, body: body, isProvisional: origin == .provisional,
                action: action)
        }
    }
}

extension ChainCheck.Link {
    init(_ row: Row) throws(DatabaseError) {
        let step = try row.step(0)
        do throws(DatabaseError) {
            let (time, origin, version) = (try row.time(1), try StoredOrigin(row, 2), try row.version(6))
            let (cause, cancelID) = (try Cause(row, 3), row.optionalText(9))
            let body = row.withText(7) { action in
                Digest.body(origin: origin, version: version, cause: cause, cancelID: cancelID, action: action)
            }
            let position = try row.number(10, StoredRange.count, "a position")
            self.init(step: step, position: position, time: time, body: body, digest: try row.digest(8))
        } catch {
            throw .damagedRow("step \(step) has \(error.message)")
        }
    }
}

extension Snapshot {
    /// - Throws: also if its state has another digest.
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(8, .snapshot)
        self.init(
            step: try row.step(1), version: try row.version(2), time: try row.time(3), isBase: row.integer(4) != 0,
            digest: try row.digest(5), state: row.text(9))
        let (digest, bytes) = row.withText(9) { (Digest(of: $0), $0.count) }
        guard try digest == row.digest(6) else { throw .damagedRow("the state of a snapshot has another digest") }
        guard row.integer(7) == bytes else { throw .damagedRow("the state of a snapshot has another length") }
    }
}

extension SnapshotMark {
    /// - Parameter first: the index of the first of its columns.
    init(_ row: Row, from first: Int32 = 0) throws(DatabaseError) {
        let check = row.integer(first + 4)
        self.init(
            step: try row.step(first), isBase: row.integer(first + 1) != 0 || check == 2,
            version: Int(row.integer(first + 2)), stateBytes: max(0, Int(row.integer(first + 3))))
        isDamaged = check != 1
    }
}

extension StepRecord {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(7, .stepRecord)
        guard let outcome = Outcome(rawValue: row.text(3)) else { throw .damagedRow("an unknown outcome") }
        self.init(
            stream: try row.stream(0), step: try row.step(1), outcome: outcome, reason: row.optionalText(4),
            cascade: row.optionalText(5), effects: row.optionalText(6))
    }
}

extension EffectRun {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(30, .run)
        guard let status = Status(rawValue: row.text(4)) else { throw .damagedRow("an unknown status") }
        guard let restart = Restart(rawValue: row.text(11)) else { throw .damagedRow("an unknown restart policy") }
        self.init(
            stream: try row.stream(0), step: try row.step(1), ordinal: try row.ordinal(2), rootStep: try row.step(3),
            name: row.text(5), effectID: row.optionalText(6), queue: row.optionalText(7), status: status,
            attempts: try row.number(9, StoredRange.count, "a number of attempts"), restart: restart,
            retry: row.optionalText(12), notBefore: try row.optionalTime(15), started: try row.optionalTime(16),
            ended: try row.optionalTime(17), error: row.optionalText(18),
            delivered: try row.number(19, StoredRange.count, "a number of actions"), described: row.optionalText(20),
            version: try row.version(23))
        cancelID = row.optionalText(8)
        failures = try row.number(10, StoredRange.count, "a number of failures")
        priority = try row.optionalNumber(13, StoredRange.priority, "a priority")
        delay = try row.optionalNumber(14, StoredRange.delay, "a delay").map { Int64($0) }
        entry = try row.optionalTime(21).map { time throws(DatabaseError) in
            Appended.Stamp(time: time, digest: try row.digest(22))
        }
        sends = row.optionalText(24)
        onRestart = row.optionalText(25)
        onFailure = row.optionalText(26)
        onCancel = row.optionalText(27)
        onOrphan = row.optionalText(28)
        twin = try row.number(29, StoredRange.ordinal, "a number of effects")
    }
}

extension JournalDatabase.FirstDispatch {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(4, .dispatchID)
        self.init(step: try row.step(2), action: try row.digest(3))
    }
}

extension EffectAttempt {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(7, .attempt)
        _ = try (row.stream(0), row.step(1), row.ordinal(2))
        self.init(
            number: try row.number(3, StoredRange.count, "the number of an attempt"),
            started: try row.optionalTime(4), ended: try row.optionalTime(5), error: row.optionalText(6))
    }
}

extension RememberedStep {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(7, .remembered)
        self.init(
            stream: try row.stream(0), step: try row.step(1), ordinal: try row.ordinal(2), path: row.text(3),
            name: row.text(4), use: try row.number(5, StoredRange.count, "the number of a use"), result: row.text(6))
    }
}

extension QueueMemory {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(4, .queue)
        self.init(
            stream: try row.stream(0), key: row.text(1), policy: row.text(2), lastStart: try row.optionalTime(3))
    }
}

extension Intervention {
    init(_ row: Row) throws(DatabaseError) {
        try row.checkDigest(9, .intervention)
        guard let act = Act(rawValue: row.text(5)) else { throw .damagedRow("an unknown intervention") }
        var before: EffectRun.Status?
        if let word = row.optionalText(6) {
            before = EffectRun.Status(rawValue: word)
            guard before != nil else { throw .damagedRow("an intervention with an unknown status") }
        }
        self.init(
            act: act, step: try row.step(3), ordinal: try row.optionalNumber(4, StoredRange.ordinal, "an ordinal"),
            time: try row.time(1), before: before,
            Remarks(reason: row.optionalText(7), user: row.optionalText(8)))
    }
}
