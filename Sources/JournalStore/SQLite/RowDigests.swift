/// Computes all digests of a file anew, for tests that change rows by hand: what they change then looks as if the
/// library had written it.
package enum RowDigests {
    /// - Parameter withEntries: whether to chain the entries anew as well. The sidecar then remembers another history.
    package static func renew(at path: String, withEntries: Bool = false) throws {
        let database = JournalDatabase(try Connection(path: path, access: .write))
        try database.connection.transaction { () throws(DatabaseError) in
            if withEntries { try database.renewChains() }
            try database.renewStates()
            for table in DigestedTable.allCases where table != .stream { try database.renew(table) }
            for stream in try database.allIDs() {
                let records = try database.records(of: stream)
                try database.connection.run(
                    "UPDATE stream SET records_digest = ?, live_digest = ? WHERE id = ?", records.all, records.live,
                    stream)
            }
            try database.renew(.stream)
        }
    }
}

extension JournalDatabase {
    fileprivate func allIDs() throws(DatabaseError) -> [StreamID] {
        try connection.prepare("SELECT id FROM stream").all { StreamID(rawValue: $0.integer(0)) }
    }

    fileprivate func renew(_ table: DigestedTable) throws(DatabaseError) {
        try connection.execute("UPDATE \(table.rawValue) SET row_digest = \(table.digest())")
    }

    fileprivate func renewStates() throws(DatabaseError) {
        let states = try connection.prepare("SELECT rowid, state FROM snapshot").all { ($0.integer(0), $0.text(1)) }
        for (row, state) in states {
            try connection.run(
                "UPDATE snapshot SET state_digest = ?, state_bytes = ? WHERE rowid = ?", Digest(of: state),
                state.utf8.count, row)
        }
    }

    fileprivate func renewChains() throws(DatabaseError) {
        for id in try allIDs() {
            let seeds = try connection.prepare("SELECT name, machine, seed FROM stream WHERE id = ?", id)
            var last = try seeds.first { Digest.genesis(name: $0.text(0), machine: $0.text(1), seed: $0.bytes(2)) }
            for link in try links(of: id, from: 0, upTo: .max, limit: .max) {
                let digest = (last ?? .none).chained(body: link.body, position: link.position, time: link.time)
                for table in ["entry", "snapshot", "step_record"] {
                    try connection.run(
                        "UPDATE \(table) SET digest = ? WHERE stream = ? AND step = ?", digest, id, link.step)
                }
                try connection.run(
                    "UPDATE stream SET head_digest = ? WHERE id = ? AND head_step = ?", digest, id, link.step)
                last = digest
            }
        }
    }
}
