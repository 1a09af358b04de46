import JournalStore

/// The texts of some steps of a page: actions, cascades, reasons.
struct StepTexts {
    private let redaction: Redaction
    private var actions: [JSON] = []
    /// The other texts of the steps that have any, by their place among these.
    private var others: [JSON.Member] = []
    /// About how long the texts are.
    private(set) var bytes = 0

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    var count: Int { actions.count }

    /// - Parameter action: the action, without what is left out.
    mutating func add(_ entry: Entry, action: String, _ record: StepRecord?) {
        let other = texts(of: entry, record)
        if !other.isEmpty { others.append(JSON.Member(key: String(actions.count), value: .object(other))) }
        actions.append(.text(action))
        bytes += StepTexts.size(action, record)
    }

    /// Adds a step whose entry was pruned meanwhile.
    mutating func addMissing() {
        actions.append(.null)
    }

    static func size(_ action: String, _ record: StepRecord?) -> Int {
        action.utf8.count + (record?.cascade?.utf8.count ?? 0)
    }

    private func texts(of entry: Entry, _ record: StepRecord?) -> [JSON.Member] {
        var texts: [JSON.Member] = []
        func add(_ key: String, _ text: String?) {
            if let text { texts.append(JSON.Member(key: key, value: .text(text))) }
        }
        add("reason", redaction.prose(record?.reason))
        add("cascade", record?.cascade.map(redaction.json))
        if entry.version != 1 { texts.append(JSON.Member(key: "version", value: .number(entry.version))) }
        return texts
    }

    /// The texts as JSON. Removes them.
    mutating func take() -> [UInt8] {
        let texts = JSON.object([
            JSON.Member(key: "actions", value: .list(actions)), JSON.Member(key: "others", value: .object(others)),
        ])
        actions.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        bytes = 0
        return Array(texts.json.utf8)
    }
}
