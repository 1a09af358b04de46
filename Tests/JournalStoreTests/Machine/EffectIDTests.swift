import Foundation
import Testing

@testable import JournalStore

private struct PrivateID: EffectID { var number = 1 }

/// IDs whose names have no sentence in them.
enum StoredIDs {
    struct Work: EffectID { var order = 1 }
    struct Other: EffectID { var order = 1 }
    struct Generic<Value: EffectID>: EffectID { var value: Value }
    enum Kind: EffectID { case login, item(Int) }
}

@Suite struct `Machine, effect IDs` {
    typealias Work = StoredIDs.Work
    typealias Other = StoredIDs.Other
    typealias Generic = StoredIDs.Generic
    typealias Kind = StoredIDs.Kind

    // MARK: The same and another

    /// No two of these are the same.
    static let different: [AnyEffectID] = [
        AnyEffectID(1), AnyEffectID(2), AnyEffectID(1.0), AnyEffectID(1 as Int8), AnyEffectID(1 as UInt),
        AnyEffectID("1"),
        AnyEffectID(1 as Int?), AnyEffectID(Int?.none), AnyEffectID(true), AnyEffectID([1]), AnyEffectID(Work()),
        AnyEffectID(Work(order: 2)), AnyEffectID(Other()), AnyEffectID(Generic(value: 1)),
        AnyEffectID(Generic(value: "1")), AnyEffectID(Kind.login), AnyEffectID(Kind.item(1)), AnyEffectID(Kind.item(2)),
        AnyEffectID(PrivateID()),
    ]

    @Test func `they are the same by type and value`() {
        for (index, id) in Self.different.enumerated() {
            #expect(id == id)
            for other in Self.different[..<index] { #expect(id != other) }
        }
        #expect(AnyEffectID(Work(order: 3)) == AnyEffectID(Work(order: 3)))
        #expect(AnyEffectID("é") == AnyEffectID("e\u{301}"))
    }

    @Test func `those that are the same have the same hash`() {
        #expect(Set(Self.different + Self.different).count == Self.different.count)
        #expect(AnyEffectID(Work(order: 3)).hashValue == AnyEffectID(Work(order: 3)).hashValue)
        // The type is fed as well: values of different types would otherwise fall into one bucket.
        #expect(AnyEffectID(Work()).hashValue != AnyEffectID(Other()).hashValue)
    }

    @Test func `one that is wrapped already stays as it is`() {
        let id = AnyEffectID(Work())
        #expect(AnyEffectID(id) == id)
        #expect(AnyEffectID(AnyEffectID(id)).base is Work)
    }

    // MARK: As text

    @Test func `it is stored as the type's name and the value, keys sorted`() throws {
        struct Two: EffectID { var b = 1, a = "x" }
        let codec = JSONCodec()
        let suite = "JournalStoreTests.StoredIDs"
        #expect(try codec.encode(AnyEffectID(Work(order: 7))) == #"{"\#(suite).Work":{"order":7}}"#)
        #expect(try codec.encode(AnyEffectID(5)) == #"{"Int":5}"#)
        #expect(try codec.encode(AnyEffectID("a/b")) == #"{"String":"a/b"}"#)
        #expect(try codec.encode(AnyEffectID(Kind.item(3))) == #"{"\#(suite).Kind":{"item":{"_0":3}}}"#)
        #expect(try codec.encode(AnyEffectID(Two())).hasSuffix(#":{"a":"x","b":1}}"#))
    }

    @Test(arguments: [
        AnyEffectID(Work(order: 7)), AnyEffectID(ScopedID(scope: "left", id: AnyEffectID(Work(order: 7)))),
    ])
    func `it comes back as text, and as a value for whoever knows the type`(_ id: AnyEffectID) throws {
        let text = try JSONCodec().encode(id)
        let stored = try JSONCodec().decode(AnyEffectID.self, from: text)
        #expect(try JSONCodec().encode(stored) == text)
        #expect(stored.description == text)
        let work = stored.as(Work.self) ?? stored.as(ScopedID.self)?.id.as(Work.self)
        #expect(work == Work(order: 7))
        #expect(stored.as(Int.self) == nil)
        #expect(id.as(Int.self) == nil)
    }

    @Test func `it shows type and value`() {
        #expect(AnyEffectID(5).description == "Int(5)")
        #expect("\(AnyEffectID("x"))" == "String(x)")
    }

    // MARK: Names of types

    @Test func `a type that anybody can see has its qualified name`() {
        #expect(StoredName.of(Int.self) == "Int")
        #expect(StoredName.of([String: Int?].self) == "Dictionary<String, Optional<Int>>")
        #expect(StoredName.of(Effect<Int>.self) == "JournalStore.Effect<Int>")
    }

    /// The names of types that have an address in their name.
    static func hiddenNames() -> [String] {
        struct Local: EffectID { struct Inner: EffectID {} }
        return [
            StoredName.of(PrivateID.self), StoredName.of(Local.self), StoredName.of(Local.Inner.self),
            StoredName.of(Generic<PrivateID>.self), StoredName.of(Generic<Generic<Local>>.self),
            StoredName.of([PrivateID: Local].self), StoredName.of((PrivateID, Local, Int).self),
            AnyEffectID(PrivateID()).description,
        ]
    }

    @Test func `a private or local type has one without an address`() {
        #expect(String(reflecting: PrivateID.self).contains("$"), "otherwise this shows nothing")
        let names = Self.hiddenNames()
        for name in names {
            #expect(!name.contains("$") && !name.contains("unknown context"), "\(name)")
        }
        #expect(names[0] == "JournalStoreTests.PrivateID")
        #expect(names[1].hasPrefix("JournalStoreTests.") && names[1].hasSuffix(".Local"))
        #expect(names[2].hasSuffix(".Local.Inner"))
        #expect(names[3] == "JournalStoreTests.StoredIDs.Generic<JournalStoreTests.PrivateID>")
        #expect(names[5] == "Dictionary<\(names[0]), \(names[1])>")
        #expect(names[6] == "(\(names[0]), \(names[1]), Int)")
    }

    @Test func `another process calls them the same`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            print("\n" + Self.hiddenNames().joined(separator: "\n"))
        }
        let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n").map(
            String.init)
        #expect(lines.filter { Self.hiddenNames().contains($0) } == Self.hiddenNames())
    }
}
