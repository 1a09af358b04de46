// Readers of a stream's records in step order, with one page in memory at a time.

/// The records of a stream's steps.
struct StepRecordPages {
    private let reader: JournalReader
    private let stream: String
    private var next: Int
    private var page: ArraySlice<StepRecord> = []
    private var isAtEnd = false

    init(reader: JournalReader, stream: String, after step: Int) {
        (self.reader, self.stream, next) = (reader, stream, step + 1)
    }

    /// The record of a step. Steps must be requested in ascending order.
    mutating func record(of step: Int) throws(JournalError) -> StepRecord? {
        while let first = page.first, first.step < step { page.removeFirst() }
        while page.isEmpty, !isAtEnd {
            page = try reader.stepRecords(
                of: stream, from: max(next, step), limit: 500, bytes: StoredSteps.enough)[...]
            if let last = page.last { next = last.step + 1 } else { isAtEnd = true }
        }
        return page.first?.step == step ? page.removeFirst() : nil
    }
}

/// The records of a stream's runs.
struct EffectRunPages {
    private let reader: JournalReader
    private let stream: String
    private var place: (step: Int, ordinal: Int)
    private var page: ArraySlice<EffectRun> = []
    private var isAtEnd = false

    init(reader: JournalReader, stream: String, after step: Int) {
        (self.reader, self.stream, place) = (reader, stream, (step, .max))
    }

    /// The runs of a step. Steps must be requested in ascending order.
    mutating func runs(of step: Int) throws(JournalError) -> [EffectRun] {
        var found: [EffectRun] = []
        while true {
            while let first = page.first, first.step <= step {
                page.removeFirst()
                if first.step == step { found.append(first) }
            }
            guard page.isEmpty, !isAtEnd else { return found }
            page = try reader.effectRuns(in: stream, after: place, limit: 500)[...]
            if let last = page.last { place = (last.step, last.ordinal) } else { isAtEnd = true }
        }
    }
}
