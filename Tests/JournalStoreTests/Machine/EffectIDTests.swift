import Foundation
import Testing

@testable import JournalStore

private struct PrivateID: EffectID { var number = 1 }

/// IDs outside of a suite, so that their names do not contain the suite's.
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

    // MARK: Equality

    /// No two of these are equal.
    static let different: [AnyEffectID] = [
        AnyEffectID(1), AnyEffectID(2), AnyEffectID(1.0), AnyEffectID(1 as Int8), AnyEffectID(1 as UInt),
        AnyEffectID("1"),
        AnyEffectID(1 as Int?), AnyEffectID(Int?.none), AnyEffectID(true), AnyEffectID([1]), AnyEffectID(Work()),
        AnyEffectID(Work(order: 2)), AnyEffectID(Other()), AnyEffectID(Generic(value: 1)),
        AnyEffectID(Generic(value: "1")), AnyEffectID(Kind.login), AnyEffectID(Kind.item(1)), AnyEffectID(Kind.item(2)),
        AnyEffectID(PrivateID()),
    ]

    @Test func `IDs are equal if their types and values are equal`() {
        for (index, id) in Self.different.enumerated() {
            #expect(id == id)
            for other in Self.different[..<index] { #expect(id != other) }
        }
        #expect(AnyEffectID(Work(order: 3)) == AnyEffectID(Work(order: 3)))
        #expect(AnyEffectID("é") == AnyEffectID("e\u{301}"))
    }

    @Test func `equal IDs have equal hashes`() {
        #expect(Set(Self.different + Self.different).count == Self.different.count)
        #expect(AnyEffectID(Work(order: 3)).hashValue == AnyEffectID(Work(order: 3)).hashValue)
        // The hash includes the type: otherwise equal values of different types would share a bucket.
        #expect(AnyEffectID(Work()).hashValue != AnyEffectID(Other()).hashValue)
    }

    @Test func `an ID that is wrapped already is not wrapped again`() {
        let id = AnyEffectID(Work())
        #expect(AnyEffectID(id) == id)
        #expect(AnyEffectID(AnyEffectID(id)).base is Work)
    }

    @Test func `an ID is returned as its own type only, also if a cast would convert it`() throws {
        let empty = AnyEffectID([String]())
        let (number, some, none) = (AnyEffectID(1), AnyEffectID(1 as Int?), AnyEffectID(Int?.none))
        let codec = JSONCodec()
        func restored(_ id: AnyEffectID) throws -> AnyEffectID {
            try codec.decode(AnyEffectID.self, from: codec.encode(id))
        }
        for read in [{ $0 }, restored] {
            #expect(try read(empty).as([String].self) == [] && read(empty).as([Int].self) == nil)
            #expect(try read(number).as(Int.self) == 1 && read(number).as(Int?.self) == nil)
            #expect(try read(some).as(Int?.self) == .some(.some(1)) && read(some).as(Int.self) == nil)
            #expect(try read(none).as(Int?.self) == .some(.none) && read(none).as(String?.self) == nil)
        }
    }

    // MARK: As text

    @Test func `an ID is stored as its type's name and its value, with sorted keys`() throws {
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
    func `a stored ID keeps its text, and can be decoded as its type`(_ id: AnyEffectID) throws {
        let text = try JSONCodec().encode(id)
        let stored = try JSONCodec().decode(AnyEffectID.self, from: text)
        #expect(try JSONCodec().encode(stored) == text)
        #expect(stored.description == text)
        let work = stored.as(Work.self) ?? stored.as(ScopedID.self)?.id.as(Work.self)
        #expect(work == Work(order: 7))
        #expect(stored.as(Int.self) == nil)
        #expect(id.as(Int.self) == nil)
    }

    @Test func `the description of an ID has its type and value`() {
        #expect(AnyEffectID(5).description == "Int(5)")
        #expect("\(AnyEffectID("x"))" == "String(x)")
    }

    // MARK: Names of types

    @Test func `a visible type is stored by its qualified name`() {
        #expect(StoredName.of(Int.self) == "Int")
        #expect(StoredName.of([String: Int?].self) == "Dictionary<String, Optional<Int>>")
        #expect(StoredName.of(Effect<Int>.self) == "JournalStore.Effect<Int>")
    }

    /// The stored names of types whose reflected names contain an address.
    static func hiddenNames() -> [String] {
        struct Local: EffectID { struct Inner: EffectID {} }
        return [
            StoredName.of(PrivateID.self), StoredName.of(Local.self), StoredName.of(Local.Inner.self),
            StoredName.of(Generic<PrivateID>.self), StoredName.of(Generic<Generic<Local>>.self),
            StoredName.of([PrivateID: Local].self), StoredName.of((PrivateID, Local, Int).self),
            AnyEffectID(PrivateID()).description,
        ]
    }

    @Test func `a private or local type is stored by a name without an address`() {
        #expect(String(reflecting: PrivateID.self).contains("$"), "otherwise this test proves nothing")
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

    @Test func `a private or local type has the same stored name in another process`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            print("\n" + Self.hiddenNames().joined(separator: "\n"))
        }
        let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n").map(
            String.init)
        #expect(lines.filter { Self.hiddenNames().contains($0) } == Self.hiddenNames())
    }
}
