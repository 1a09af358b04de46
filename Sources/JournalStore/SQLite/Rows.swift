// STRICT tables guarantee the types. A digest of the wrong length or an unknown word is damage, and throws.

extension StreamInfo {
    init(_ row: Row) throws(DatabaseError) {
        // The head is not negative, and the step after it does not overflow.
        guard (0..<Int64.max).contains(row.integer(4)) else { throw .damagedRow("a stream with an invalid head step") }
        self.init(
            id: StreamID(rawValue: row.integer(0)), name: row.text(1), machine: row.text(2),
            created: Timestamp(microseconds: row.integer(3)), headStep: Int(row.integer(4)),
            headDigest: try row.digest(5),
            settledStep: Int(row.integer(6)), prunedStep: Int(row.integer(7)), seed: row.bytes(8),
            hasBegun: row.integer(9) != 0)
    }
}

extension Entry {
    init(_ row: Row) throws(DatabaseError) {
        guard let origin = Origin(rawValue: Int(row.integer(4))) else { throw .damagedRow("an unknown origin") }
        self.init(
            position: Int(row.integer(0)), stream: row.text(1), step: Int(row.integer(2)),
            time: Timestamp(microseconds: row.integer(3)), origin: origin,
            causeStep: row.optionalInteger(5).map { Int($0) }, causeRun: row.optionalInteger(6).map { Int($0) },
            causeStream: row.optionalText(7), version: Int(row.integer(8)), action: row.text(9),
            cancelID: row.optionalText(11), digest: try row.digest(10))
    }
}

extension StoredSteps {
    mutating func append(_ row: Row) throws(DatabaseError) {
        let stamp = Appended.Stamp(time: Timestamp(microseconds: row.integer(1)), digest: try row.digest(2))
        row.withText(4) { append(Int(row.integer(0)), version: Int(row.integer(3)), stamp, action: $0) }
    }
}

extension Snapshot {
    init(_ row: Row) throws(DatabaseError) {
        self.init(
            step: Int(row.integer(0)), version: Int(row.integer(1)), time: Timestamp(microseconds: row.integer(2)),
            isBase: row.integer(3) != 0, digest: try row.digest(4), state: row.text(5))
    }
}

extension EffectRun {
    init(_ row: Row) throws(DatabaseError) {
        guard let status = Status(rawValue: row.text(7)) else { throw .damagedRow("an unknown status") }
        guard let restart = Restart(rawValue: row.text(10)) else { throw .damagedRow("an unknown restart policy") }
        func time(_ column: Int32) -> Timestamp? {
            row.optionalInteger(column).map { Timestamp(microseconds: $0) }
        }
        self.init(
            stream: StreamID(rawValue: row.integer(0)), step: Int(row.integer(1)), ordinal: Int(row.integer(2)),
            rootStep: Int(row.integer(3)), name: row.text(4), effectID: row.optionalText(5),
            queue: row.optionalText(6), status: status, attempts: Int(row.integer(9)), restart: restart,
            retry: row.optionalText(11), notBefore: time(14), started: time(15), ended: time(16),
            error: row.optionalText(17), delivered: Int(row.integer(18)), described: row.optionalText(19),
            version: Int(row.integer(20)))
        cancelID = row.optionalText(8)
        priority = row.optionalInteger(12).map { Int($0) }
        delay = row.optionalInteger(13)
        sends = row.optionalText(21)
        onRestart = row.optionalText(22)
        onFailure = row.optionalText(23)
        onOrphan = row.optionalText(24)
        failures = Int(row.integer(27))
        entry = try time(25).map { time throws(DatabaseError) in Appended.Stamp(time: time, digest: try row.digest(26))
        }
    }
}
