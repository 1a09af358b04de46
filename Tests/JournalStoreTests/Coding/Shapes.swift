import Foundation

@testable import JournalStore

enum Action: Codable, Sendable, Equatable { case add(count: Int, item: String), fetch, wait(_ seconds: Double) }

struct Everything: Codable, Sendable {
    var zebra = 1, apple = "a", aPPLE = true, apples = [1, 2], a1 = 1, a10 = 2, a2 = 3, _a = 4, é = 5, ä = "ü"
    var date = Date(timeIntervalSinceReferenceDate: 1.25), data = Data([0, 1, 254]),
        url = URL(string: "https://a.b/c?d=e")
    var none: Int?, some: Int? = 3, twice: Int?? = .some(.none), float: Float = 0.1, double = 1e300
    var words = ["x": [1], "": [], "Z": [2]], numbers = [2: "b", 10: "j", 1: "a"], nested: [Action?] = [.fetch, nil]
    var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), range = 1..<5, set: Set = [7],
        character = UInt8(9)
    var wide: Int64 = .min, unsigned: UInt64 = .max, huge: Int128 = .max, price = Decimal(string: "12.340")
}

indirect enum Tree: Codable, Sendable { case leaf(Int?), pair(Tree, Tree), named(left: String, right: Tree?) }

enum Color: String, Codable, CodingKeyRepresentable, Sendable { case red, green, blue }

class Animal: Codable, @unchecked Sendable {
    var name = "rex"
    init() {}
}

/// Encodes its superclass's members beside its own.
final class Dog: Animal, @unchecked Sendable {
    var age = 3
    enum Keys: String, CodingKey { case age, name }

    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
        age = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .age)
        try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: encoder)
    }
}

/// Encodes its superclass's members in a nested object.
final class Cat: Animal, @unchecked Sendable {
    var lives = 9
    enum Keys: String, CodingKey { case lives, parent }

    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        lives = try container.decode(Int.self, forKey: .lives)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(lives, forKey: .lives)
    }
}

/// A key of any text or number.
struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int?
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// A value that encodes itself with a closure, and decodes any JSON.
struct Odd: Codable, Sendable {
    let body: @Sendable (any Encoder) throws -> Void
    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
    init(from decoder: any Decoder) throws {
        let tree = try JSONTree(from: decoder)
        body = { try tree.encode(to: $0) }
    }
    func encode(to encoder: any Encoder) throws { try body(encoder) }
}
