import JournalTesting
import TortureKit

@testable import JournalStore

/// A folder for a journal, and its clock.
struct Desk {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }
}

/// A suite with a desk; reads the journal with plain SQLite.
protocol AtDesk {
    var desk: Desk { get }
}

extension AtDesk {
    var folder: TemporaryFolder { desk.folder }
    var path: String { desk.folder.path("a.db") }
    var clock: ManualClock { desk.clock }

    func sql(_ query: String, _ path: String? = nil) throws -> [String] {
        try Shell(path ?? self.path, readOnly: true)(query)
    }
}

/// JSON, with a look at each text that is decoded.
struct ObservedCodec: Codec {
    let decodes: @Sendable (String) throws -> Void

    func encode<Value: Encodable>(_ value: Value) throws -> String { try JSONCodec().encode(value) }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try decodes(text)
        return try JSONCodec().decode(type, from: text)
    }
}

/// JSON, as long as nothing prevents that.
struct FailingCodec: Codec {
    struct Failure: Error {}

    let isBroken: @Sendable () -> Bool

    func encode<Value: Encodable>(_ value: Value) throws -> String {
        if isBroken() { throw Failure() }
        return try JSONCodec().encode(value)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONCodec().decode(type, from: text)
    }
}
