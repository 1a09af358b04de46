/// One of the effects that a step returned.
public struct ReplayedEffect: Hashable, Sendable, CustomStringConvertible {
    /// The effect's name; nil if it cancels effects or updates a queue.
    public let name: String?
    /// The effect's ID, or the ID of the effects that it cancels.
    public let id: AnyEffectID?
    /// As the journal records it: `{"run":"charge","id":{"PaymentID":{"order":7}}}`.
    public let description: String

    init?<Action, State>(_ part: Effect<Action>.Part, _ program: Program<Action, State>) {
        guard let note = program.note(part) else { return nil }
        description = note.json
        switch part {
        case .run(let run): (name, id) = (run.name, run.id)
        case .cancel(.id(let id)): (name, self.id) = (nil, id)
        default: (name, id) = (nil, nil)
        }
    }
}
