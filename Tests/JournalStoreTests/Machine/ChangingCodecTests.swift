import Foundation
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

/// A codec that writes each text with a number before it, and can encode numbers that are not finite.
struct EncryptingCodec: Codec {
    private static let count = Atomic(0)

    func encode<Value: Encodable>(_ value: Value) throws -> String {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        return "\(number):" + (try PropertyListEncoder().encode([value])).base64EncodedString()
    }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        let data = Data(base64Encoded: String(text.drop { $0 != ":" }.dropFirst())) ?? Data()
        return try PropertyListDecoder().decode([Value].self, from: data)[0]
    }
}

@Suite struct `A codec that encrypts` {
    private struct Plain: Codable, Sendable { var value: Double }
    private struct Comparable: Codable, Sendable, Equatable { var value: Double }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -0.0, 1.5])
    func `numbers that are not finite are equal to themselves`(_ value: Double) throws {
        let codec = EncryptingCodec()
        #expect(codec.areEqual(Plain(value: value), Plain(value: value)))
        #expect(codec.areEqual(Comparable(value: value), Comparable(value: value)))
        #expect(!codec.areEqual(Plain(value: value), Plain(value: 2)))
        #expect(throws: Never.self) { try codec.encode(Comparable(value: value), checked: true) }
    }

    @Test func `a cascade in which one action could not be encoded is compared without that one`() async throws {
        let isBroken = Box(true)
        var machine = Machine<Int, Int, Void>("sum", initialState: 0) { action, state, _ in
            state += action
            return action == 1 ? .next(7) + .next(8) : .none
        }
        let failing = Box(0)
        machine.codec = FailingCodec {
            // The second one of the cascade: the fourth text after that of the action, its two checks, and the first.
            failing.change { $0 += 1 }
            return isBroken.value && failing.value == 3
        }
        let notices = Box<[Notice.Kind]>([])
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice.kind) } }
        options.checksCoding = false
        options.reducesTwice = false
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1)
        try await store.flush()
        #expect(notices.value == [.recordIncomplete])
        #expect(try journal.reader.stepRecords(of: "a", from: 1, through: 1).map(\.cascade) == ["[7,null]"])
        isBroken.change { $0 = false }
        #expect(try store.replayer().verify().isFaithful)
        try await journal.close()
    }
}
