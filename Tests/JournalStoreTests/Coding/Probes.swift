import Foundation

@testable import JournalStore

/// Decodes a value in many ways, one after the other, and notes each result.
struct Probe: Codable, Sendable {
    var notes: [String] = []

    init(from decoder: any Decoder) throws {
        func note(_ body: () throws -> String) {
            do {
                notes.append(try body())
            } catch let error as DecodingError {
                let (kind, context) = error.parts
                notes.append("\(kind) at \(context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" })")
            } catch {
                notes.append("no decoding error")
            }
        }
        let single = try decoder.singleValueContainer()
        note { "\(single.decodeNil())" }
        note { "\(try single.decode(Bool.self))" }
        note { "\(try single.decode(Int8.self))" }
        note { "\(try single.decode(UInt64.self))" }
        note { "\(try single.decode(Double.self))" }
        note { "\(try single.decode(Float.self))" }
        note { "\(try single.decode(String.self))" }
        note { "\(try single.decode(Date.self))" }
        note { "\(try single.decode(Data.self))" }
        note { "\(try single.decode(URL.self))" }
        note { "\(try single.decode(Decimal.self))" }
        note { "\(try single.decode(Color.self))" }
        note { "\(try single.decode([Int].self))" }
        note {
            var list = try decoder.unkeyedContainer()
            return try list.notes()
        }
        note {
            let object = try decoder.container(keyedBy: AnyKey.self)
            return try object.notes()
        }
    }
}

extension UnkeyedDecodingContainer {
    fileprivate mutating func notes() throws -> String {
        var notes = "\(count ?? -1) \(isAtEnd)"
        if let text = try? decode(String.self) { notes += " text \(text)" }
        if let number = try? decodeIfPresent(Int.self) { notes += " int \(number)" }
        if let isNull = try? decodeNil() { notes += " null \(isNull)" }
        if var nested = try? nestedUnkeyedContainer() { notes += " list \(try nested.notes())" }
        if let nested = try? nestedContainer(keyedBy: AnyKey.self) { notes += " object \(try nested.notes())" }
        if let action = try? decodeIfPresent(Action.self) { notes += " action \(action)" }
        if let decoder = try? superDecoder() { notes += " super \((try? Int(from: decoder)) ?? -1)" }
        notes += " \(currentIndex)"
        _ = try decodeIfPresent(Double.self)
        notes += " \(currentIndex) \(isAtEnd)"
        _ = try decode(Bool.self)
        return notes + " \(currentIndex)"
    }
}

extension KeyedDecodingContainer<AnyKey> {
    fileprivate func notes() throws -> String {
        var notes = allKeys.map(\.stringValue).sorted().joined(separator: " ")
        for name in ["a", "é", "e\u{301}", "K", "\u{212A}", "", "add", "missing", "super"] {
            let key = AnyKey(stringValue: name)
            notes += " \(contains(key))"
            if let isNull = try? decodeNil(forKey: key) { notes += " null \(isNull)" }
            if let number = try? decodeIfPresent(Int.self, forKey: key) { notes += " int \(number)" }
            if let number = try? decodeIfPresent(UInt8.self, forKey: key) { notes += " byte \(number)" }
            if let text = try? decodeIfPresent(String.self, forKey: key) { notes += " text \(text)" }
            if let list = try? decode([Int?].self, forKey: key) { notes += " ints \(list)" }
            if var nested = try? nestedUnkeyedContainer(forKey: key) {
                notes += " list \((try? nested.notes()) ?? "bad")"
            }
            if let nested = try? nestedContainer(keyedBy: AnyKey.self, forKey: key) {
                notes += " [\(try nested.notes())]"
            }
            let tree = try? JSONTree(from: superDecoder(forKey: key))
            notes += " super \(tree == .null)"
        }
        _ = try decode(Int.self, forKey: AnyKey(stringValue: "a"))
        _ = try decode(Int.self, forKey: AnyKey(stringValue: "missing"))
        return notes
    }
}

extension DecodingError {
    fileprivate var parts: (String, Context) {
        switch self {
        case .typeMismatch(let type, let context): ("typeMismatch \(type)", context)
        case .valueNotFound(let type, let context): ("valueNotFound \(type)", context)
        case .keyNotFound(let key, let context): ("keyNotFound \(key.stringValue)", context)
        case .dataCorrupted(let context): ("dataCorrupted", context)
        @unknown default: ("unknown", Context(codingPath: [], debugDescription: ""))
        }
    }
}

/// Notes its coding paths, and decodes again with the decoders that its elements kept.
struct Walker: Codable, Sendable {
    var places: [String] = []

    init(from decoder: any Decoder) throws {
        places.append(decoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }.joined(separator: "/"))
        if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd {
                let inner = try list.decode(Inner.self)
                places += inner.places
                places.append("\(String(describing: try? Int(from: inner.decoder)))")
            }
        } else {
            _ = try decoder.container(keyedBy: AnyKey.self)
        }
    }

    struct Inner: Decodable {
        var places: [String]
        let decoder: any Decoder
        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            places = [decoder.codingPath.map(\.stringValue).joined(separator: "/")]
        }
    }
}

/// Non-ASCII keys, one of which looks like an ASCII key.
struct Wide: Codable, Sendable {
    var é: Int?
    var ä: Int?
    var kelvin: Int?
    enum CodingKeys: String, CodingKey {
        case é, ä
        case kelvin = "\u{212A}"
    }
}

/// Decodes nothing, so its contents are skipped.
struct Skipped: Codable, Sendable {
    init(from decoder: any Decoder) throws {}
}

struct Keeper: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) throws {
        self.decoder = decoder
        _ = try? JSONTree(from: decoder)
    }
}
