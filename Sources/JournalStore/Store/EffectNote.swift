/// One effect in the list that a step's record keeps, for people and for comparing a replay with.
struct EffectNote {
    let json: String

    init<Action>(_ run: Effect<Action>.Run, _ record: EffectRun) {
        let kind =
            switch run.work {
            case .closure: run.isEphemeral ? "ephemeral" : "run"
            case .described: "perform"
            case .timer: "timer"
            case .message: "send"
            }
        var members = [#""\#(kind)":\#(EffectNote.quoted(record.name))"#]
        if let id = record.effectID { members.append(#""id":\#(id)"#) }
        if let queue = record.queue { members.append(#""queue":\#(queue)"#) }
        json = "{" + members.joined(separator: ",") + "}"
    }

    /// - Parameter id: as JSON; nil where a condition says which.
    init(cancelling id: String?) {
        json = #"{"cancel":\#(id ?? "\"where\"")}"#
    }

    /// - Parameter queue: as JSON.
    init(updating queue: String?) {
        json = #"{"updateQueue":\#(queue ?? "null")}"#
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
