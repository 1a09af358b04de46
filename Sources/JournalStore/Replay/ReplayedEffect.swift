/// One of the effects that a step returned.
public struct ReplayedEffect: Hashable, Sendable, CustomStringConvertible {
    /// The effect's name; nil if it cancels effects or updates a queue.
    public let name: String?
    /// The effect's ID, or the ID of the effects that it cancels.
    public let id: AnyEffectID?
    /// The effect's queue, or the queue that it updates. Compare it with `AnyEffectID(Downloads())`.
    public let queue: AnyEffectID?
    /// As the journal records it: `{"run":"charge","id":{"PaymentID":{"order":7}}}`.
    public let description: String
    private let described: DescribedValue?

    init?<Action, State>(_ part: Effect<Action>.Part, _ program: Program<Action, State>) {
        guard let note = program.note(part) else { return nil }
        description = note.json
        var (name, id, queue, described): (String?, AnyEffectID?, AnyEffectID?, DescribedValue?)
        switch part {
        case .run(let run):
            (name, id, queue) = (run.name, run.id, run.queue.map { AnyEffectID($0) })
            if case .described(let value, _) = run.work {
                described = DescribedValue(value: value.value, text: try? program.records.encode(value))
            }
        case .cancel(.id(let cancelled)): id = cancelled
        case .updateQueue(let updated): queue = AnyEffectID(updated)
        case .cancel(.predicate), .next, .reject: break
        }
        (self.name, self.id, self.queue, self.described) = (name, id, queue, described)
    }

    /// The value of an effect made by `perform`, if it has this type.
    public func value<Value: Codable & Sendable>(as type: Value.Type = Value.self) -> Value? {
        described?.value as? Value
    }
}

/// The value of a described effect, which is compared by its JSON.
private struct DescribedValue: Hashable, Sendable {
    let value: any Codable & Sendable
    let text: String?

    static func == (left: DescribedValue, right: DescribedValue) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
