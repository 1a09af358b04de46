/// One effect as a step's record lists it: shown to people, and compared with a replay.
struct EffectNote: Hashable, Sendable {
    /// A run that has a record of its own.
    struct Recorded: Hashable, Sendable {
        var name: String
        var id: String?
    }

    let json: String
    /// nil if the effect has no record of its own.
    private(set) var recorded: Recorded?
    /// Whether it is a run, which has an ordinal, and not a cancellation or a queue update.
    private(set) var isRun = false
    /// As version 0.1.0 noted it, if it named the effect otherwise.
    private(set) var earlier: [EffectNote] = []

    /// - Parameters:
    ///   - id: as JSON, if it has one.
    ///   - queue: as JSON, if it has one.
    init<Action>(_ run: Effect<Action>.Run, id: String?, queue: String?) {
        let kind =
            switch run.work {
            case .closure: run.isEphemeral ? "ephemeral" : "run"
            case .described: "perform"
            case .timer: "timer"
            case .message: "send"
            }
        let name = JSONOutput.text { $0.append(quoted: run.name ?? "", .record) }
        var members = [#""\#(kind)":\#(name)"#]
        if let id { members.append(#""id":\#(id)"#) }
        if let queue { members.append(#""queue":\#(queue)"#) }
        json = "{" + members.joined(separator: ",") + "}"
        isRun = true
        if let name = run.earlierName {
            earlier = [EffectNote(changed(run) { ($0.name, $0.earlierName) = (name, nil) }, id: id, queue: queue)]
        }
        if !run.isEphemeral { recorded = Recorded(name: run.name ?? "", id: id) }
    }

    /// - Parameter id: as JSON; nil if a predicate selects the effects.
    init(cancelling id: String?) {
        json = #"{"cancel":\#(id ?? "\"where\"")}"#
    }

    /// - Parameter queue: as JSON.
    init(updating queue: String?) {
        json = #"{"updateQueue":\#(queue ?? "null")}"#
    }
}
