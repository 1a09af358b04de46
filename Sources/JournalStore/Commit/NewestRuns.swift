/// The newest record of each run, in the order in which the runs appeared.
struct NewestRuns {
    private struct Place: Hashable {
        let stream: StreamID
        let key: RunKey

        init(_ run: EffectRun) { (stream, key) = (run.stream, run.key) }
    }

    private var records: [EffectRun] = []
    private var places: [Place: Int] = [:]

    mutating func add(_ run: EffectRun) {
        // A single record needs no dictionary.
        if let only = records.first, records.count == 1, only.stream == run.stream, only.key == run.key {
            return records[0] = run
        }
        if records.count == 1 { places[Place(records[0])] = 0 }
        if !records.isEmpty {
            if let index = places[Place(run)] { return records[index] = run }
            places[Place(run)] = records.count
        }
        records.append(run)
    }

    mutating func take() -> [EffectRun] {
        if records.isEmpty { return [] }
        defer { self = NewestRuns() }
        return records
    }
}
