/// Finds the queue that an instance belongs to: equal instances belong to one queue, also after a restart.
///
/// A queue is stored under the text of the instance with which it began, and keeps that text. After a restart only the
/// text is known; when the code uses an instance of that type, the text is decoded and compared by `==`.
struct QueueDirectory: Sendable {
    /// A queue, as long as the store is open.
    struct ID: Hashable, Sendable { fileprivate let number: Int }

    private struct Entry: Sendable {
        /// The text that the queue is stored under; nil if it is never stored.
        let text: String?
        /// The instance that the code has used for it; nil if only the text is known.
        var instance: ExactID?
        /// The decoded value of its text, if instances find the queue by it.
        var decoded: ExactID?
        /// What is stored of it; nil if nothing is.
        var record: QueueRecord?
    }

    private var entries: [ID: Entry] = [:]
    private var byInstance: [ExactID: ID] = [:]
    /// An instance of each type that the code has used: texts are decoded like it.
    private var examples: [[ObjectIdentifier]: ExactID] = [:]
    /// The stored queues.
    private var byText: [String: ID] = [:]
    /// How many queues are stored under a text: unequal queues can have the same text.
    private var storedCount: [String: Int] = [:]
    private var unread = UnreadIDs()
    private var lastNumber = 0

    /// Adds a queue that an earlier process has stored.
    @discardableResult
    mutating func remember(_ text: String, _ record: QueueRecord) -> ID {
        let id = newID()
        entries[id] = Entry(text: text, record: record)
        byText[text] = id
        storedCount[text, default: 0] += 1
        unread.insert(text)
        return id
    }

    // MARK: Finding

    /// The queue of an instance; nil if there is none yet.
    ///
    /// - Parameter text: the instance as it is stored, if it can be encoded.
    mutating func find(_ queue: any EffectQueue, text: String?) -> ID? {
        let id = AnyEffectID(queue)
        let instance = ExactID(id)
        if let id = byInstance[instance] { return id }
        if let stored = queue as? StoredQueue { return self.id(under: stored.text) ?? self.id(equalTo: stored.text) }
        guard !byText.isEmpty else { return nil }
        decode(like: id)
        guard let id = byInstance[instance] ?? text.flatMap(unused) else { return nil }
        use(instance, for: id)
        entries[id]?.instance = instance
        return id
    }

    /// Decodes the stored queues that have the type of an instance. If several are equal, their instances belong to the
    /// first one whose own rule is stored; if none has that, to the first one.
    private mutating func decode(like instance: AnyEffectID) {
        let found = unread.read(like: instance).compactMap { text, value in
            byText[text].map { (id: $0, value: ExactID(value)) }
        }
        let substitutes = found.filter { entries[$0.id]?.record?.isSubstitute == true }
        let others = found.filter { entries[$0.id]?.record?.isSubstitute != true }
        for (id, value) in others + substitutes where byInstance[value] == nil {
            byInstance[value] = id
            entries[id]?.decoded = value
        }
    }

    /// The code uses an instance for a queue.
    private mutating func use(_ instance: ExactID, for id: ID) {
        byInstance[instance] = id
        let types = instance.types
        if examples[types] == nil { examples[types] = instance }
    }

    /// The queue that is stored under a text.
    func id(storedAs text: String) -> ID? { byText[text] }

    /// The queue that is stored under a text, or would be.
    private func id(under text: String) -> ID? {
        byText[text] ?? entries.filter { $0.value.text == text }.keys.min { $0.number < $1.number }
    }

    /// The queue whose instance equals the one that a text stores. Only a run that is retried names an unknown text.
    private func id(equalTo text: String) -> ID? {
        let values = examples.values.compactMap { $0.sibling(in: text) }
        return values.compactMap { value in byInstance[value].flatMap { entries[$0]?.instance == value ? $0 : nil } }
            .min { $0.number < $1.number }
    }

    /// The queue that is stored under a text, unless the code has used an instance of it: a type whose values are not
    /// equal after they were decoded is known by its text.
    private func unused(_ text: String) -> ID? {
        byText[text].flatMap { entries[$0]?.instance == nil ? $0 : nil }
    }

    /// The queue of an instance. There is one from now on.
    mutating func id(of queue: any EffectQueue, text: String?) -> ID {
        if let id = find(queue, text: text) { return id }
        let id = newID()
        if let stored = queue as? StoredQueue {
            entries[id] = Entry(text: stored.text)
            byText[stored.text] = id
            unread.insert(stored.text)
        } else {
            let instance = ExactID(AnyEffectID(queue))
            entries[id] = Entry(text: text, instance: instance)
            use(instance, for: id)
        }
        return id
    }

    private mutating func newID() -> ID {
        lastNumber += 1
        return ID(number: lastNumber)
    }

    // MARK: What is stored

    /// The text that a queue is stored under.
    func text(of id: ID) -> String? { entries[id]?.text }

    /// What is stored of a queue.
    func record(of id: ID) -> QueueRecord? { entries[id]?.record }

    /// Notes what is stored of a queue from now on.
    ///
    /// - Returns: the text to store it under; nil if it is never stored.
    mutating func store(_ record: QueueRecord, of id: ID) -> String? {
        guard let entry = entries[id], let text = entry.text else { return nil }
        if entry.record == nil { storedCount[text, default: 0] += 1 }
        entries[id]?.record = record
        if byText[text] == nil { byText[text] = id }
        return text
    }

    /// Notes that nothing is stored of a queue any more. Its text stays until it is dropped.
    ///
    /// - Returns: the text whose row is to be deleted; nil if there is none, or another queue needs it.
    mutating func forget(_ id: ID) -> String? {
        guard let entry = entries[id], entry.record != nil, let text = entry.text else { return nil }
        entries[id]?.record = nil
        let others = (storedCount[text] ?? 1) - 1
        storedCount[text] = others > 0 ? others : nil
        return others > 0 ? nil : text
    }

    /// Drops a queue that has no runs, unless something is stored of it: then its text and its rule stay.
    mutating func drop(_ id: ID) {
        guard let entry = entries[id], entry.record == nil else { return }
        entries[id] = nil
        for case let value? in [entry.instance, entry.decoded] where byInstance[value] == id {
            byInstance[value] = nil
        }
        guard let text = entry.text, byText[text] == id else { return }
        byText[text] = nil
        unread.remove(text)
    }
}

/// A queue of a restored described effect: only what is stored of it is known.
struct StoredQueue: StepQueue {
    let text: String
    let rule: QueueRule

    var countsSteps: Bool { rule.countsSteps }
    var effectQueuePolicy: EffectQueuePolicy { rule.policy }
    var effectQueueDelay: EffectQueueDelay { rule.delay }

    static func == (left: StoredQueue, right: StoredQueue) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
