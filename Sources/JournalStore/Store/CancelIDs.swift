/// The dispatches with a cancel ID and live runs. An ID cancels those whose ID equals it, or is stored as the same
/// text.
struct CancelIDs: Sendable {
    /// The steps of the dispatches, by the text of their ID.
    private var steps: [String: Set<Int>] = [:]
    private var texts: [Int: String] = [:]
    /// By their texts. They keep what a condition has decoded.
    private var ids: [String: AnyEffectID] = [:]
    /// The texts that were decoded, by their values.
    private var decoded: [ExactID: Set<String>] = [:]
    private var values: [String: ExactID] = [:]
    private var unread = UnreadIDs()

    var isEmpty: Bool { steps.isEmpty }

    /// - Parameter text: the ID as it is stored.
    mutating func insert(_ step: Int, _ text: String) {
        guard texts.updateValue(text, forKey: step) != text else { return }
        if steps[text] == nil {
            unread.insert(text)
            ids[text] = AnyEffectID(StoredID(text: text))
        }
        steps[text, default: []].insert(step)
    }

    mutating func remove(_ step: Int) {
        guard let text = texts.removeValue(forKey: step) else { return }
        steps[text]?.remove(step)
        guard steps[text]?.isEmpty == true else { return }
        (steps[text], ids[text]) = (nil, nil)
        unread.remove(text)
        guard let value = values.removeValue(forKey: text) else { return }
        decoded[value]?.remove(text)
        if decoded[value]?.isEmpty == true { decoded[value] = nil }
    }

    /// The dispatches whose ID meets a condition.
    func steps(where condition: (AnyEffectID?) -> Bool) -> Set<Int> {
        ids.reduce(into: []) { found, id in
            if condition(id.value), let dispatches = steps[id.key] { found.formUnion(dispatches) }
        }
    }

    /// The dispatches that an ID cancels.
    ///
    /// - Parameter text: the ID as it is stored, if it can be encoded.
    mutating func steps(of id: AnyEffectID, text: String?) -> Set<Int> {
        for (text, value) in unread.read(like: id) {
            values[text] = ExactID(value)
            decoded[ExactID(value), default: []].insert(text)
        }
        let equal = (decoded[ExactID(id)] ?? []).union(text.map { [$0] } ?? [])
        return equal.reduce(into: []) { $0.formUnion(steps[$1] ?? []) }
    }
}
