import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Objects in states and actions` {
    final class Account: Codable, Sendable {}
    final class Move: Codable, Sendable {}

    @Test func `a state or an action that is a class is refused, and nothing is created`() async throws {
        let journal = try Journal.inMemory()
        let state = Machine<Int, Account, Void>("accounts", initialState: Account()) { _, _, _ in .none }
        let action = Machine<Move, Int, Void>("moves", initialState: 0) { _, _, _ in .none }
        let refused = await journalError { try await journal.open(state, stream: "a") }
        #expect(refused?.code == .notAValue)
        #expect(refused?.stream == "a")
        #expect(refused?.message == "The state of the machine 'accounts' is a class, 'Account'.")
        #expect(await journalError { try await journal.open(action, stream: "a") }?.code == .notAValue)
        #expect(await journalError { try journal.host(action) }?.code == .notAValue)
        #expect(try journal.reader.streams().isEmpty)
        try await journal.close()
    }

    @Test func `a state or an action that consists of objects is refused`() async throws {
        let journal = try Journal.inMemory()
        let optional = Machine<Int, Account?, Void>("accounts", initialState: nil) { _, _, _ in .none }
        let list = Machine<Int, [String: [Account]], Void>("accounts", initialState: [:]) { _, _, _ in .none }
        let action = Machine<[Move], Int, Void>("moves", initialState: 0) { _, _, _ in .none }
        let refused = await journalError { try await journal.open(optional, stream: "a") }
        #expect(refused?.message == "The state of the machine 'accounts' consists of objects of a class, 'Account'.")
        #expect(await journalError { try await journal.open(list, stream: "a") }?.code == .notAValue)
        #expect(await journalError { try await journal.open(action, stream: "a") }?.code == .notAValue)
        let values = Machine<Int?, [Int?], Void>("values", initialState: []) { _, _, _ in .none }
        #expect(await journalError { try await journal.open(values, stream: "a") } == nil)
        try await journal.close()
    }

    /// `@unchecked`: it is the mistake that is looked for. One store changes it, step by step.
    final class Counted: Codable, @unchecked Sendable { var count = 0 }
    struct Holder: Codable, Sendable {
        var counted = Counted()
        var steps = 0
    }

    /// JSON after a mark that changes now and then, as the key of a codec that encrypts.
    private struct MarkingCodec: Codec {
        let mark: Box<Int>

        func encode<Value: Encodable>(_ value: Value) throws -> String {
            "\(mark.value):" + (try JSONCodec().encode(value))
        }

        func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
            try JSONCodec().decode(type, from: String(text.drop { $0 != ":" }.dropFirst()))
        }
    }

    @Test func `a codec that writes another text of the same state is no object in the state`() async throws {
        let (notices, mark) = (Box<[Notice.Kind]>([]), Box(0))
        var options = Journal.Options()
        options.reducesTwice = true
        options.report = { notice in notices.change { $0.append(notice.kind) } }
        let journal = try Journal.inMemory(options: options)
        var machine = Machine<Int, [Int], Void>("marks", initialState: []) { action, state, _ in
            state.append(action)
            mark.change { $0 += 1 }
            return .none
        }
        machine.codec = MarkingCodec(mark: mark)
        let store = try await journal.open(machine, stream: "a")
        for number in 1...20 { try await store.dispatch(number) }
        #expect(notices.value == [])
        try await journal.close()
    }

    /// To reduce twice would count twice.
    @Test func `an object in the state is reported, and changed once by each step`() async throws {
        let notices = Box<[Notice]>([])
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { options in
            options.reducesTwice = true
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let machine = Machine<Int, Holder, Void>("holder", initialState: Holder()) { action, holder, _ in
            holder.counted.count += action
            holder.steps += 1
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        for _ in 1...100 { try await store.dispatch(1) }
        #expect(store.state.counted.count == 100)
        #expect(store.state.steps == 100)
        #expect(notices.value.map(\.kind) == [.impureReducer])
        #expect(notices.value.first?.error.message.contains("has changed an object in the state") == true)
        try await journal.close()
    }

    @Test func `a machine that cannot be opened cannot be replayed either`() async throws {
        let journal = try Journal.inMemory()
        try await journal.openStream("a", machine: "m").append("1")
        let values = Machine<Int, Int, Void>("m", initialState: 0) { _, _, _ in .none }
        let state = Machine<Int, Account, Void>("m", initialState: Account()) { _, _, _ in .none }
        let version = Machine<Int, Int, Void>("m", version: 0, initialState: 0) { _, _, _ in .none }
        #expect(await journalError { try Replayer(values, reader: journal.reader, stream: "a") } == nil)
        let refused = await journalError { try Replayer(state, reader: journal.reader, stream: "a") }
        #expect(refused?.code == .notAValue)
        #expect(refused?.stream == "a")
        let numbered = await journalError { try Replayer(version, reader: journal.reader, stream: "a") }
        #expect(numbered?.code == .badArgument)
        try await journal.close()
    }
}
