import JournalStore

/// A machine whose actions and states are stored as text that is not JSON.
let shouting: Machine<String, [String], Void> = {
    var machine = Machine<String, [String], Void>("shouting", initialState: []) { $0.append($1) }
    machine.codec = Shouted()
    return machine
}()

private struct Shouted: Codec {
    func encode<Value: Encodable>(_ value: Value) throws -> String { "!" + (try JSONCodec().encode(value)) }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONCodec().decode(type, from: String(text.dropFirst()))
    }
}

extension Fixture {
    /// A journal with a stream `a` of the machine above, whose only action is `hunter2`.
    func shouts() async throws -> String {
        let journal = try open("shouts.db", .never)
        try await journal.open(shouting, stream: "a").dispatch("hunter2")
        try await journal.close()
        return path("shouts.db")
    }
}
