import Synchronization
import Testing

@testable import JournalStore

/// A codec that writes another text each time, as one that encrypts does.
private struct ChangingCodec: Codec {
    private static let count = Atomic(0)

    func encode<Value: Encodable>(_ value: Value) throws -> String {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        return "\(number):" + String(try JSONCodec().encode(value).reversed())
    }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONCodec().decode(type, from: String(text.drop { $0 != ":" }.dropFirst().reversed()))
    }
}

@Suite struct `A codec that writes another text each time` {
    /// Not `Equatable`.
    private enum Add: Codable, Sendable { case one, two, many(Set<String>) }

    private static let machine: Machine<Add, Int, Void> = {
        var machine = Machine<Add, Int, Void>("sum", initialState: 0) { action, state, _ in
            state += 1
            if case .two = action { return .next(.one) + .next(.many(["a", "b"])) }
            return .none
        }
        machine.codec = ChangingCodec()
        return machine
    }()

    @Test func `its cascades are compared by value, and nothing is said of the reducer`() async throws {
        let notices = Box<[Notice]>([])
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice) } }
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(Self.machine, stream: "a")
        for _ in 1...3 { try await store.dispatch(.two) }
        try await store.flush()
        let report = try store.replayer().verify()
        #expect(report.isFaithful, "\(report)")
        #expect(notices.value.map(\.description) == [])
        try await journal.close()
    }

    @Test func `a repeated dispatch ID is one although the actions have no ==`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(Self.machine, stream: "a")
        let action = Add.many(["x", "y", "z"])
        let first = try await store.dispatch(action, id: "b")
        #expect(try await store.dispatch(action, id: "b").step == first.step)
        await #expect(throws: JournalError.self) { try await store.dispatch(.one, id: "b") }
        try await journal.close()
    }
}
