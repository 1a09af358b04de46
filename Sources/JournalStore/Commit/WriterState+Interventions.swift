/// Interventions in streams that no store has open.
extension WriterState {
    mutating func intervene(
        _ act: Intervention.Act, _ key: RunKey, in name: String, _ remarks: Intervention.Remarks
    ) throws(JournalError) -> EffectRun {
        let info = try closedStream(name)
        let database = try usable()
        let found = try JournalError.at(file, "reading an effect", stream: name, step: key.step) {
            () throws(DatabaseError) in try database.recordedRun(of: info, key)
        }
        guard let found else { throw location(name).noEffect(key) }
        let now = options.wallClock()
        let changed = try found.after(act, at: now, file: file, stream: name)
        let record = Intervention(
            act: act, step: key.step, ordinal: key.ordinal, time: now, before: found.run.status, remarks)
        try transaction(while: "recording an intervention", of: info.id) { database, number throws(DatabaseError) in
            var records = try database.write(changed) ^ database.write(record, in: info.id)
            // A run that had ended can have a queue that is forgotten.
            if act == .retry { records ^= try database.rememberQueue(of: changed) }
            try database.update(info.id, records: records, transaction: number)
        }
        return changed
    }

    mutating func skip(_ step: Int, in name: String, _ remarks: Intervention.Remarks) throws(JournalError) {
        let info = try closedStream(name)
        let reading = try usable()
        let earlier = try JournalError.at(file, "reading a step", stream: name, step: step) {
            () throws(DatabaseError) in try reading.stepRecord(of: info.id, step: step)
        }
        try info.checkSkip(of: step, record: earlier, file: file)
        let record = Intervention(
            act: .skip, step: step, time: options.wallClock(), remarks)
        try transaction(while: "recording an intervention", of: info.id) { database, number throws(DatabaseError) in
            let skipped = StepRecord(stream: info.id, step: step, outcome: .skipped)
            // They have states that the step has changed. The next opening begins before it.
            var records = RecordsDigest()
            for mark in try database.snapshotMarks(of: info.id) where mark.step >= step {
                records ^= try database.deleteSnapshot(of: info.id, at: mark.step)
            }
            records ^= try database.write(skipped) ^ database.write(record, in: info.id)
            try database.update(info.id, records: records, transaction: number)
        }
    }

    private mutating func closedStream(_ name: String) throws(JournalError) -> StreamInfo {
        let found = try read(name, while: "reading a stream") { $1 }
        guard streams[found.id] == nil else {
            throw location(name).error(.streamOpen, "The stream is open.", advice: "Close it first.")
        }
        return found
    }
}
