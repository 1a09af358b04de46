/// The results that earlier attempts of a body stored and that it has not asked for yet. Only some are in memory; of
/// the others the keys are known, so that a step is never taken for a new one.
struct RememberedResults: Sendable {
    enum Found: Sendable {
        case result(String)
        /// It is to be read by this key: equal texts can differ in their bytes.
        case unread(StepUses.Key)
    }

    private var results: [StepUses.Key: String] = [:]
    private var unread: Set<StepUses.Key> = []
    private var bytes = 0

    /// Adds a stored step: with its result if those before it are shorter than `room`, otherwise only its key.
    mutating func add(_ step: RememberedStep, room: Int) {
        guard bytes < room else {
            unread.insert(StepUses.Key(step))
            return
        }
        bytes += step.result.utf8.count
        results[StepUses.Key(step)] = step.result
    }

    /// Adds results that were read later. The body can have got some of them meanwhile.
    mutating func add(page: [RememberedStep]) {
        for step in page {
            let key = StepUses.Key(step)
            if unread.remove(key) != nil { results[key] = step.result }
        }
    }

    func find(_ key: StepUses.Key) -> Found? {
        if let result = results[key] { return .result(result) }
        guard let index = unread.firstIndex(of: key) else { return nil }
        return .unread(unread[index])
    }

    /// The body has the result.
    mutating func remove(_ key: StepUses.Key) { results[key] = nil }
}

extension StepUses.Key {
    init(_ step: RememberedStep) { self.init(path: step.path, name: step.name, use: step.use) }
}
