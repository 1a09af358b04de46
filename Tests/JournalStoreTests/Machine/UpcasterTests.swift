import Testing

@testable import JournalStore

@Suite struct `Machine, upcasters` {
    struct Failure: Error {}
    enum Action: Codable, Equatable, Sendable { case add(name: String, count: Int) }
    struct One: Codable { var add: String }
    struct Two: Codable { var add: Item }
    struct Item: Codable { var name: String, count: Int }

    static let place = ErrorLocation(file: "/tmp/shop.db", stream: "cart-42", step: 3)

    static func machine(_ version: Int) -> Machine<Action, [Int], Void> {
        Machine("cart", version: version, initialState: [], reducer: .empty)
    }

    static func program(_ machine: Machine<Action, [Int], Void>) -> Program<Action, [Int]> {
        Program(machine, environment: (), checksCoding: true)
    }

    /// From a name, to a name and a count, to the current version.
    static let full = machine(3)
        .upcasting(actionsFrom: 1) { (old: One) in Two(add: Item(name: old.add, count: 1)) }
        .upcasting(actionTextsFrom: 2) { text in text.replacing("banana", with: "apple") }
        .upcasting(statesFrom: 1) { (old: Int) in [old] }
        .upcasting(statesFrom: 2) { (old: [Int]) in old + [0] }

    // MARK: Chains

    @Test(
        arguments: [
            (#"{"add":"banana"}"#, 1, "apple", 1), (#"{"add":{"count":2,"name":"banana"}}"#, 2, "apple", 2),
            (#"{"add":{"count":2,"name":"banana"}}"#, 3, "banana", 2),
        ] as [(String, Int, String, Int)])
    func `an action passes all upcasters from its version on`(
        _ text: String, _ version: Int, _ name: String, _ count: Int
    ) throws {
        let action = try Self.program(Self.full).action(text, version: version, Self.place)
        #expect(action == .add(name: name, count: count))
    }

    @Test(arguments: [("5", 1, [5, 0]), ("[5]", 2, [5, 0]), ("[5]", 3, [5])] as [(String, Int, [Int])])
    func `a state passes the upcasters of states`(_ text: String, _ version: Int, _ state: [Int]) throws {
        #expect(try Self.program(Self.full).state(text, version: version, Self.place) == state)
    }

    @Test func `a value of the current version passes no upcaster`() throws {
        let machine = Self.machine(1).upcasting(actionTextsFrom: 1) { _ in throw Failure() }
            .upcasting(stateTextsFrom: 1) { _ in throw Failure() }
        let program = Self.program(machine)
        #expect(try program.state("[1]", version: 1, Self.place) == [1])
        #expect(
            try program.action(#"{"add":{"count":2,"name":"x"}}"#, version: 1, Self.place) == .add(name: "x", count: 2))
    }

    @Test(arguments: [3, 4, Int.max]) func `an upcaster from the current version or a newer one is ignored`(
        _ version: Int
    ) throws {
        let machine = Self.machine(3).unchanged(since: 1)
            .upcasting(actionTextsFrom: version) { _ in throw Failure() }
            .upcasting(stateTextsFrom: version) { _ in throw Failure() }
        let program = Self.program(machine)
        let (text, action) = (#"{"add":{"count":2,"name":"x"}}"#, Action.add(name: "x", count: 2))
        #expect(try program.state("[1]", version: 1, Self.place) == [1])
        #expect(try program.action(text, version: 1, Self.place) == action)
        #expect(program.isSame(text, since: 1, as: action, Self.place))
        var upcasters = Upcasters()
        for place in [1, version] { upcasters.add(from: place) { text, _ in text } }
        #expect(upcasters.forms(from: 1, to: 3) == [1, 2, 3])
    }

    @Test func `adding an upcaster does not change the original machine`() throws {
        let plain = Self.machine(2)
        let upcasting = plain.upcasting(statesFrom: 1) { (old: Int) in [old] }
        #expect(try Self.program(upcasting).state("5", version: 1, Self.place) == [5])
        #expect(throws: JournalError.self) { try Self.program(plain).state("5", version: 1, Self.place) }
    }

    @Test func `an upcaster of texts gets the stored text unchanged`() throws {
        let seen = Box("")
        let machine = Self.machine(2).upcasting(stateTextsFrom: 1) { text in
            seen.change { $0 = text }
            return "[1]"
        }
        _ = try Self.program(machine).state(#""apple""#, version: 1, Self.place)
        #expect(seen.value == #""apple""#)
    }

    @Test func `a typed upcaster gets an old string decoded`() throws {
        // A closure of String to String takes the text; to any other type it takes the value.
        let machine = Self.machine(2).upcasting(statesFrom: 1) { (old: String) in [old.count] }
        #expect(try Self.program(machine).state(#""apple""#, version: 1, Self.place) == [5])
    }

    @Test func `a typed upcaster uses the codec that is set afterwards`() throws {
        var machine = Self.machine(2).upcasting(statesFrom: 1) { (old: Int) in [old] }
        machine.codec = ReversedCodec()
        #expect(try Self.program(machine).state("52", version: 1, Self.place) == [25])
    }

    // MARK: Errors

    struct Refused: CustomTestStringConvertible {
        var testDescription: String
        var version: Int
        var code: JournalError.Code
        var message: String
        var advice: String

        static let all = [
            Refused(
                testDescription: "newer", version: 6, code: .newerMachine,
                message: "The % was written by version 6 of the machine; this is version 5.",
                advice: "Open it with the newer code."),
            Refused(
                testDescription: "the first is missing", version: 1, code: .noUpcaster,
                message: "The % was written by version 1 of the machine, and there is no upcaster from version 1.",
                advice: "Add `upcasting(%sFrom: 1)` to the machine, or `unchanged(since: 1)`."),
            Refused(
                testDescription: "a later one is missing", version: 2, code: .noUpcaster,
                message: "The % was written by version 2 of the machine, and there is no upcaster from version 3.",
                advice: "Add `upcasting(%sFrom: 3)` to the machine, or `unchanged(since: 3)`."),
            Refused(
                testDescription: "one fails", version: 4, code: .noUpcaster,
                message: "The upcaster from version 4 failed on the % (Failure).",
                advice:
                    "Fix ~`upcasting(%sFrom: 4)`. It gets what the changes before it gave: after `renaming#`, the new "
                    + "name."
            ),
        ]
    }

    static let torn = machine(5)
        .upcasting(actionTextsFrom: 2) { $0 }.upcasting(actionTextsFrom: 4) { _ in throw Failure() }
        .upcasting(stateTextsFrom: 2) { $0 }.upcasting(stateTextsFrom: 4) { _ in throw Failure() }

    @Test(arguments: Refused.all, ["action", "state"])
    func `an error of the upcasters has the version, the location and advice`(_ refused: Refused, _ what: String) {
        let program = Self.program(Self.torn)
        let error = #expect(throws: JournalError.self) {
            if what == "action" {
                _ = try program.action("hunter2", version: refused.version, Self.place)
            } else {
                _ = try program.state("hunter2", version: refused.version, Self.place)
            }
        }
        #expect(
            error
                == JournalError(
                    refused.code, refused.message.replacing("%", with: what),
                    advice: refused.advice.replacing("%", with: what)
                        .replacing("#", with: what == "state" ? "Property" : "Action")
                        .replacing("~", with: what == "state" ? "" : "`replacingAction` or "), file: "/tmp/shop.db",
                    stream: "cart-42", step: 3)
        )
        #expect(error?.description.hasPrefix("/tmp/shop.db, stream 'cart-42', step 3: The ") == true)
    }

    @Test(arguments: [
        (#"{"add":{"item":"a \"b\""}}"#, Stock.add(item: "a \"b\"", count: 1)),
        (#"{"back":{"_0":"pear","isDamaged":true}}"#, .damaged("pear")),
        (#"{"back":{"_0":"pear","isDamaged":false}}"#, .returned("pear")), (#"{"count":{"_0":7}}"#, .counted("7")),
        (#"{"clear":{}}"#, .clear), (#"{"returned":{"_0":"add"}}"#, .returned("add")),
    ])
    func `one case can be read with its old values, and the others stay`(_ stored: String, _ action: Stock) throws {
        struct Add: Codable { var item: String }
        struct Back: Codable { var _0: String; var isDamaged: Bool }
        let machine = Machine<Stock, Int, Void>("stock", version: 2, initialState: 0) { _, _, _ in .none }
            .replacingAction("add", from: 1) { (old: Add) in .add(item: old.item, count: 1) }
            .replacingAction("back", from: 1) { (old: Back) in old.isDamaged ? .damaged(old._0) : .returned(old._0) }
            .replacingAction("count", from: 1) { (old: Int) in .counted("\(old)") }
        let program = Program(machine, environment: (), checksCoding: true)
        #expect(try program.action(stored, version: 1, Self.place) == action)
        let error = #expect(throws: JournalError.self) {
            try program.action(#"{"add":{"name":"hunter2"}}"#, version: 1, Self.place)
        }
        #expect(error?.code == .noUpcaster)
        #expect(error?.description.contains("'add': no 'item'") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a value that cannot be read is an error also if all properties of its type are optional`() throws {
        struct Item: Codable { var sku: String?; var count: Int8? }
        struct Own: Codable { var _0: Int? }
        let machine = Machine<Stock, Int, Void>("stock", version: 2, initialState: 0) { _, _, _ in .none }
            .replacingAction("add", from: 1) { (old: Item) in .counted(old.sku ?? "nil") }
            .replacingAction("count", from: 1) { (old: Own) in .counted(old._0.map { "\($0)" } ?? "nil") }
        let program = Program(machine, environment: (), checksCoding: true)
        let sound = #"{"add":{"_0":{"count":3,"sku":"apple"}}}"#
        #expect(try program.action(sound, version: 1, Self.place) == .counted("apple"))
        #expect(try program.action(#"{"count":{"_0":7}}"#, version: 1, Self.place) == .counted("7"))
        let error = #expect(throws: JournalError.self) {
            try program.action(sound.replacing(":3", with: ":300"), version: 1, Self.place)
        }
        #expect(error?.code == .noUpcaster)
    }

    @Test func `what is left of a case with several values is read as that, not as its only value`() throws {
        struct Item: Codable { var sku: String?; var count: Int? }
        struct Back: Codable { var _0: Item?; var note: String? }
        struct Grid: Codable { var _0: [[Int]]; var note: String? }
        enum Old: Codable { case back(Item?, note: String?), grid([[Int]], note: String?), add([String: Item]) }
        let machine = Machine<Stock, Int, Void>("stock", version: 2, initialState: 0) { _, _, _ in .none }
            .replacingAction("back", from: 1) { (old: Back) in .counted("\(old._0?.sku ?? "nil") \(old.note ?? "nil")")
            }
            .replacingAction("grid", from: 1) { (old: Grid) in .counted("\(old._0)") }
            // The keys of a dictionary are no properties.
            .replacingAction("add", from: 1) { (old: [String: Item]) in .counted("\(old["_0"]?.count ?? 0)") }
        let program = Program(machine, environment: (), checksCoding: true)
        let item = Item(sku: "apple", count: 3)
        for (old, value) in [
            (Old.back(item, note: nil), "apple nil"), (.back(item, note: "wet"), "apple wet"),
            (.back(nil, note: "wet"), "nil wet"), (.grid([[1], [2]], note: nil), "[[1], [2]]"),
            (.grid([[1]], note: "wet"), "[[1]]"), (.add(["_0": item]), "3"),
        ] {
            let stored = try JSONCodec().encode(old)
            #expect(try program.action(stored, version: 1, Self.place) == .counted(value), "\(stored)")
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct ReadByAnyKey: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            text = "\(try container.decode(Int.self, forKey: AnyKey(stringValue: "_0")))"
        }
    }

    private class Super: Decodable { var _0: Int }

    private final class Sub: Super {
        var note: String?

        private enum CodingKeys: CodingKey { case note }

        required init(from decoder: any Decoder) throws {
            note = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .note)
            try super.init(from: decoder)
        }
    }

    private struct Wrapped: Decodable {
        struct Inner: Decodable { var _0: Int }
        var inner: Inner
        init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode(Inner.self) }
    }

    @Test func `what is left of a case with several values is read by types of all shapes`() throws {
        let plain = Machine<Stock, Int, Void>("stock", version: 2, initialState: 0) { _, _, _ in .none }
        func read(_ machine: Machine<Stock, Int, Void>) throws -> Stock {
            try Program(machine, environment: (), checksCoding: true)
                .action(#"{"back":{"_0":7}}"#, version: 1, Self.place)
        }
        for machine in [
            plain.replacingAction("back", from: 1) { (old: ReadByAnyKey) in .counted(old.text) },
            plain.replacingAction("back", from: 1) { (old: Sub) in .counted("\(old._0)") },
            plain.replacingAction("back", from: 1) { (old: Wrapped) in .counted("\(old.inner._0)") },
            plain.replacingAction("back", from: 1) { (old: Wrapped.Inner?) in .counted("\(old?._0 ?? 0)") },
        ] {
            #expect(try read(machine) == .counted("7"))
        }
    }

    @Test func `a value that was nil is read as nil`() throws {
        enum Old: Codable { case add(Int?) }
        let machine = Machine<Stock, Int, Void>("stock", version: 2, initialState: 0) { _, _, _ in .none }
            .replacingAction("add", from: 1) { (old: Int?) in .counted(old.map { "\($0)" } ?? "nil") }
        let program = Program(machine, environment: (), checksCoding: true)
        let cases = [
            (try JSONCodec().encode(Old.add(nil)), "nil"), (#"{"add":{}}"#, "nil"), (#"{"add":{"_0":null}}"#, "nil"),
            (try JSONCodec().encode(Old.add(1)), "1"), (#"{"add":{"_0":1}}"#, "1"),
        ]
        for (stored, value) in cases {
            #expect(try program.action(stored, version: 1, Self.place) == .counted(value), "\(stored)")
        }
    }

    enum Pantry: Codable, Sendable, Equatable { case add(item: String, grams: Int) }
    struct AddV1: Codable { var item: String }
    struct AddV2: Codable { var item: String; var packs: Int }

    static let pantry = Machine<Pantry, Int, Void>("pantry", version: 3, initialState: 0) { _, _, _ in .none }

    @Test func `the action of a replacement passes the changes of later versions`() throws {
        let machine = Self.pantry
            .replacingAction("add", from: 1) { (old: AddV1) in .add(item: old.item, grams: 500) }
            .replacingAction("add", from: 2) { (old: AddV2) in .add(item: old.item, grams: old.packs * 500) }
        let error = #expect(throws: JournalError.self) {
            try Program(machine, environment: (), checksCoding: true).action(
                #"{"add":{"item":"rice"}}"#, version: 1, Self.place)
        }
        #expect(error?.code == .noUpcaster)
        #expect(error?.message.contains("The upcaster from version 2 failed on the action 'add': no 'packs'") == true)
    }

    @Test(
        arguments: [
            (#"{"add":{"item":"rice"}}"#, 1, 500), (#"{"add":{"item":"rice","packs":2}}"#, 2, 1000),
            (#"{"add":{"item":"rice","grams":7}}"#, 3, 7),
        ] as [(String, Int, Int)])
    func `a case with other values in each version is renamed, and replaced in the last one`(
        _ stored: String, _ version: Int, _ grams: Int
    ) throws {
        let machine = Self.pantry
            .renamingAction("add", to: "addV1", from: 1)
            .replacingAction("add", from: 2) { (old: AddV2) in .add(item: old.item, grams: old.packs * 500) }
            .replacingAction("addV1", from: 2) { (old: AddV1) in .add(item: old.item, grams: 500) }
        let action = try Program(machine, environment: (), checksCoding: true).action(
            stored, version: version, Self.place)
        #expect(action == .add(item: "rice", grams: grams))
    }

    enum Stock: Codable, Sendable, Equatable {
        case add(item: String, count: Int), returned(String), damaged(String), counted(String), clear
    }

    @Test func `an upcaster that cannot decode the old text is an error with the missing key`() {
        let error = #expect(throws: JournalError.self) {
            try Self.program(Self.full).action(#"{"ad":"hunter2"}"#, version: 1, Self.place)
        }
        #expect(error?.code == .noUpcaster)
        #expect(error?.message == "The upcaster from version 1 failed on the action 'ad': no 'add'.")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a decoding error shows the keys of types, and none of dictionaries`() {
        struct Price: Codable, Sendable, Equatable { var cents: Int }
        struct Shelf: Codable, Sendable, Equatable { var prices: [String: Price] = [:] }
        let machine = Machine<Stock, Shelf, Void>("stock", initialState: Shelf()) { _, _, _ in .none }
        let error = #expect(throws: JournalError.self) {
            try Program(machine, environment: (), checksCoding: true).state(
                #"{"prices":{"hunter2":{}}}"#, version: 1, Self.place)
        }
        #expect(error?.message == "The state of version 1 cannot be decoded: no 'cents' at prices.<key>.")
    }

    @Test func `an upcaster that returns another type's text results in a decoding error`() {
        let machine = Self.machine(2).upcasting(stateTextsFrom: 1) { _ in #"{"hunter2":1}"# }
        let error = #expect(throws: JournalError.self) {
            try Self.program(machine).state("1", version: 1, Self.place)
        }
        #expect(error?.code == .notDecodable)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(arguments: [Int.min, -1, 0, Int.max]) func `no version traps`(_ version: Int) {
        #expect(throws: JournalError.self) { try Self.program(Self.torn).state("[]", version: version, Self.place) }
    }

    // MARK: Common changes

    @Test(
        arguments: [
            (#"{"charged":{"amount":3}}"#, #"{"paid":{"amount":3}}"#), (#""charged""#, #""paid""#),
            (#"{"other":{"charged":1}}"#, #"{"other":{"charged":1}}"#), (#""other""#, #""other""#),
            (#"{"a":1,"charged":[],"z":{}}"#, #"{"a":1,"paid":[],"z":{}}"#), ("[1]", "[1]"), ("not JSON", nil),
        ] as [(String, String?)])
    func `a name is replaced where it is the name of the action, and nowhere else`(_ old: String, _ new: String?) {
        #expect(JSONRenaming.rename("charged", to: "paid", in: old) == new)
    }

    @Test(arguments: [
        (#"{"paid":1,"charged":2}"#, #"{"paid":2}"#), (#"{"charged":2,"paid":1}"#, #"{"paid":2}"#),
        (#"{ "a":[1, 2] , "paid" : {"x":"},"} , "charged":2 , "z":"," }"#, #"{"a":[1, 2],"paid":2,"z":","}"#),
        (#"{"paid":1,"charged":{"paid":3},"p\u0061id":4}"#, #"{"paid":{"paid":3}}"#), (#"{"paid":1}"#, #"{"paid":1}"#),
    ])
    func `a renamed member takes the place of another one of that name`(_ old: String, _ new: String) {
        #expect(JSONRenaming.rename("charged", to: "paid", in: old) == new)
    }

    @Test func `a name can be renamed to itself`() {
        let text = #"{"paid":1, "z":2}"#
        #expect(JSONRenaming.rename("paid", to: "paid", in: text) == text)
    }

    @Test func `a renamed property counts, and names are exchanged by means of a third one`() throws {
        struct Now: Codable, Equatable { var amount: Int; var total: Int? }
        let machine = Machine<Int, Now, Void>("order", version: 3, initialState: Now(amount: 0), reducer: .empty)
            .renamingProperty("total", to: "old", inStatesFrom: 2)
            .renamingProperty("amount", to: "total", inStatesFrom: 2)
            .renamingProperty("old", to: "amount", inStatesFrom: 2)
        let program = Program(machine, environment: (), checksCoding: true)
        #expect(try program.state(#"{"amount":1,"total":2}"#, version: 2, Self.place) == Now(amount: 2, total: 1))
        #expect(try program.state(#"{"amount":1,"total":2}"#, version: 3, Self.place) == Now(amount: 1, total: 2))
        let renamed = Machine<Int, Now, Void>("order", version: 2, initialState: Now(amount: 0), reducer: .empty)
            .renamingProperty("total", to: "amount", inStatesFrom: 1)
        #expect(
            try Program(renamed, environment: (), checksCoding: true)
                .state(#"{"amount":1,"total":2}"#, version: 1, Self.place) == Now(amount: 2))
    }

    @Test func `a renamed property that was nil is nil, also if another one had the new name`() throws {
        struct Note: Codable, Equatable { var text: String? }
        let machine = Machine<Int, Note, Void>("note", version: 2, initialState: Note(), reducer: .empty)
            .renamingProperty("title", to: "text", inStatesFrom: 1)
        let program = Program(machine, environment: (), checksCoding: true)
        #expect(try program.state(#"{"text":"old"}"#, version: 1, Self.place) == Note())
        #expect(try program.state(#"{"text":"old","title":"new"}"#, version: 1, Self.place) == Note(text: "new"))
        // An action has one case, and that of the new name may be an earlier one.
        #expect(JSONRenaming.rename("charged", to: "paid", in: #"{"paid":1}"#) == #"{"paid":1}"#)
    }

    @Test func `a name may have any characters`() {
        #expect(JSONRenaming.rename("a\"\n", to: "é\\\u{1}", in: #"{"a\"\n":1}"#) == #"{"é\\\u0001":1}"#)
    }

    @Test func `renamed and removed actions and renamed properties are read, in the order of the changes`() throws {
        struct Now: Codable, Equatable { var lines: [Int] }
        enum Deed: Codable, Equatable { case paid(Int), nothing }
        let machine = Machine<Deed, Now, Void>("order", version: 2, initialState: Now(lines: []), reducer: .empty)
            .renamingAction("charged", to: "booked", from: 1).renamingAction("booked", to: "paid", from: 1)
            .replacingAction("ping", with: .nothing, from: 1).renamingProperty("items", to: "lines", inStatesFrom: 1)
        let program = Program(machine, environment: (), checksCoding: true)
        #expect(try program.action(#"{"charged":{"_0":5}}"#, version: 1, Self.place) == .paid(5))
        #expect(try program.action(#"{"ping":{"count":5}}"#, version: 1, Self.place) == .nothing)
        #expect(try program.action(#"{"paid":{"_0":5}}"#, version: 2, Self.place) == .paid(5))
        #expect(try program.state(#"{"items":[1]}"#, version: 1, Self.place) == Now(lines: [1]))
    }

    @Test func `versions can be dates, with only few of them in use`() throws {
        let machine = Self.machine(20_261_125).renamingAction("put", to: "add", from: 20_250_101).unchanged(since: 1)
        let program = Self.program(machine)
        #expect(
            try program.action(#"{"put":{"count":2,"name":"x"}}"#, version: 20_240_229, Self.place)
                == .add(name: "x", count: 2))
        #expect(try program.state("[1]", version: 1, Self.place) == [1])
        let later = Self.program(Self.machine(20_261_125).unchanged(since: 20_250_101))
        #expect(throws: JournalError.self) { try later.state("[1]", version: 20_240_229, Self.place) }
    }

    @Test func `a change of the actions alone leaves the states as they are`() throws {
        let machine = Self.machine(2).renamingAction("put", to: "add", from: 1)
        #expect(try Self.program(machine).state("[1]", version: 1, Self.place) == [1])
        #expect(
            try Self.program(machine).action(#"{"put":{"count":2,"name":"x"}}"#, version: 1, Self.place)
                == .add(name: "x", count: 2))
    }
}
