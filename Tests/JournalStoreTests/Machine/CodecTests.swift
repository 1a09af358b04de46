import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Machine, encoding and decoding` {
    static let codec = JSONCodec()

    /// The value after it was encoded and decoded.
    func again<Value: Codable>(_ value: Value) throws -> Value {
        try Self.codec.decode(Value.self, from: try Self.codec.encode(value))
    }

    // MARK: JSON

    struct Unsorted: Codable, Equatable { var b = 1, a = [("y", 2), ("x", 1)].reduce(into: [:]) { $0[$1.0] = $1.1 } }

    @Test func `keys are sorted, and slashes are not escaped`() throws {
        #expect(try Self.codec.encode(Unsorted()) == #"{"a":{"x":1,"y":2},"b":1}"#)
        #expect(try Self.codec.encode("a/b") == #""a/b""#)
    }

    indirect enum Nested: Codable, Equatable { case leaf(Int?), pair(Nested, Nested), named(left: String), bare }

    @Test func `dates, UUIDs, nested enums and optionals are decoded as they were encoded`() throws {
        for seconds in [0, 1.1, -0.1, 1e-9, 786_000_000.123_456_7, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(try again(date) == date)
        }
        var step = Step.of()
        for _ in 0..<20 {
            let (id, time) = (step.uuid(), Timestamp(microseconds: Int64(step.next() >> 12)).date)
            #expect(try again(id) == id)
            #expect(try again(time) == time)
        }
        let nested = Nested.pair(.leaf(nil), .pair(.named(left: "\u{0}\u{2028}\u{1F600}\"\\é"), .pair(.bare, .leaf(5))))
        #expect(try again(nested) == nested)
        #expect(try again([1, nil, 3] as [Int?]) == [1, nil, 3])
    }

    @Test func `numbers are decoded to the last bit`() throws {
        let doubles = [
            Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
            .pi,
            0.1 + 0.2, 1e22, 9_007_199_254_740_992, -0.0,
        ]
        #expect(try again(doubles).map(\.bitPattern) == doubles.map(\.bitPattern))
        var step = Step.of()
        for _ in 0..<500 {
            let number = Double(bitPattern: step.next())
            guard number.isFinite else { continue }
            #expect(try again(number).bitPattern == number.bitPattern)
        }
        #expect(try again([Int64.min, .max]) == [.min, .max])
        #expect(try again([UInt64.max]) == [.max])
        #expect(
            try again([Float.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1]) == [
                .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1,
            ])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func `NaN and infinity are errors`(_ number: Double) {
        #expect(throws: EncodingError.self) { try Self.codec.encode(number) }
        #expect(throws: EncodingError.self) { try Self.codec.encode(["price": number]) }
        #expect(throws: EncodingError.self) { try Self.codec.encode(Date(timeIntervalSince1970: number)) }
    }

    /// Its encoder reads the coding path, so that Foundation encodes it.
    struct Priced: Encodable {
        var name = "N \"N\\"
        var price: Decimal

        func encode(to encoder: any Encoder) throws {
            _ = encoder.codingPath
            var container = encoder.unkeyedContainer()
            try container.encode(name)
            try container.encode(price)
        }
    }

    @Test func `a Decimal that is NaN is an error, whoever encodes it`() throws {
        #expect(throws: EncodingError.self) { try Self.codec.encode(Decimal.nan) }
        #expect(throws: EncodingError.self) { try Self.codec.encode(["price": Decimal.nan]) }
        #expect(throws: EncodingError.self) { try Self.codec.encode([Decimal(1), .nan]) }
        #expect(throws: EncodingError.self) { try Self.codec.encode(Priced(price: .nan)) }
        #expect(try Self.codec.encode(Priced(price: 1.5)) == #"["N \"N\\",1.5]"#)
    }

    @Test func `a single value is encoded without a container`() throws {
        #expect(try Self.codec.encode(5) == "5")
        #expect(try Self.codec.encode("x") == #""x""#)
        #expect(try Self.codec.encode(true) == "true")
        #expect(try Self.codec.encode(Int?.none) == "null")
        #expect(try again(5) == 5)
        #expect(try again("x") == "x")
        #expect(try again(Int?.none) == nil)
        #expect(try again(5 as Int?) == 5)
    }

    @Test(arguments: ["", "{", "[1", "nul", "\u{0}"]) func `a text that is not JSON is an error`(_ text: String) {
        #expect(throws: DecodingError.self) { try Self.codec.decode(Int.self, from: text) }
    }

    // MARK: Checked

    static let place = ErrorLocation(file: "/tmp/shop.db", stream: "cart-42", step: 3)

    static func program<Action: Codable & Sendable, State: Codable & Sendable>(
        _ action: Action.Type, _ state: State, checksCoding: Bool = true
    ) -> Program<Action, State> {
        Program(
            Machine<Action, State, Void>("m", initialState: state, reducer: .empty), environment: (),
            checksCoding: checksCoding)
    }

    /// Encodes without its value.
    enum Forgetful: Codable, Equatable, Sendable {
        case set(secret: String)

        init(from decoder: any Decoder) { self = .set(secret: "") }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("forgotten")
        }
    }

    /// The same, but not Equatable, so that the loss cannot be seen.
    struct Blind: Codable, Sendable {
        var secret: String

        init(_ secret: String) { self.secret = secret }
        init(from decoder: any Decoder) { secret = "" }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("forgotten")
        }
    }

    @Test func `an action that is decoded differently is refused by its name, without its value`() {
        let program = Self.program(Forgetful.self, 0)
        let error = #expect(throws: JournalError.self) { try program.encode(.set(secret: "hunter2"), Self.place) }
        #expect(
            error
                == JournalError(
                    .lossyCoding,
                    "The action 'set' is not the same at set.secret after it was encoded and decoded again.",
                    advice:
                        "A replay would see another value. Make its Codable conformance keep all that == compares.",
                    file: "/tmp/shop.db", stream: "cart-42", step: 3))
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a state that is decoded differently is refused by its type`() {
        let program = Self.program(Int.self, Forgetful.set(secret: ""))
        let error = #expect(throws: JournalError.self) {
            try program.encode(Forgetful.set(secret: "hunter2"), Self.place)
        }
        #expect(error?.code == .lossyCoding)
        #expect(
            error?.message
                == "The state 'Forgetful' is not the same at set.secret after it was encoded and decoded again.")
    }

    /// Loses its attempt.
    struct Download: Newest1EffectQueue {
        var url: String
        var attempt: Int

        init(url: String, attempt: Int) { (self.url, self.attempt) = (url, attempt) }
        init(from decoder: any Decoder) throws {
            self.init(url: try decoder.singleValueContainer().decode(String.self), attempt: 0)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(url)
        }
    }

    @Test func `an ID or a queue that is decoded differently is refused`() throws {
        let program = Self.program(Int.self, 0)
        let id = AnyEffectID(Download(url: "a", attempt: 1))
        for (what, scoped) in [
            (CodedValue.id, id), (.queue, id), (.id, AnyEffectID(ScopedID.id("list", id))),
            (.queue, AnyEffectID(ScopedQueue(scope: "list", queue: Download(url: "a", attempt: 1)))),
        ] {
            let error = #expect(throws: JournalError.self) { try program.encode(id: scoped, as: what, Self.place) }
            #expect(error?.code == .lossyCoding)
            #expect(error?.message.hasPrefix("The \(what) '") == true)
        }
        let unchanged = AnyEffectID(Download(url: "a", attempt: 0))
        let text = try program.encode(id: unchanged, Self.place)
        #expect(try program.encode(id: AnyEffectID(StoredID(text: text)), Self.place) == text)
    }

    struct Stock: Codable, Equatable, Sendable { var shelves: [String: [Shelf]] = [:] }
    struct Shelf: Codable, Equatable, Sendable {
        var kept = 1, lost = 2
        enum CodingKeys: CodingKey { case kept }
    }

    @Test func `an error of a lossy value says which part of it differs, without the keys of a dictionary`() {
        let stock = Stock(shelves: ["hunter2": [Shelf(), Shelf(lost: 3)]])
        let error = #expect(throws: JournalError.self) { try Self.program(Int.self, Stock()).encode(stock, Self.place) }
        #expect(
            error?.message == "The state 'Stock' is not the same at shelves[<key>][1].lost after it was encoded and "
                + "decoded again.")
    }

    /// NaN is not equal to itself.
    struct Reading: Codable, Equatable {
        var value = Double.nan
        init() {}
        init(from decoder: any Decoder) throws {
            value = Double(try decoder.singleValueContainer().decode(String.self)) ?? 0
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("\(value)")
        }
    }

    @Test func `NaN that is decoded as it was encoded is not refused`() throws {
        let program = Self.program(Int.self, Reading())
        #expect(try program.encode(Reading(), Self.place) == #""nan""#)
    }

    @Test func `without checksCoding nothing is compared`() throws {
        let program = Self.program(Forgetful.self, 0, checksCoding: false)
        #expect(try program.encode(.set(secret: "hunter2"), Self.place) == #""forgotten""#)
    }

    @Test func `a type that is not Equatable is not checked`() throws {
        #expect(try Self.program(Blind.self, 0).encode(Blind("hunter2"), Self.place) == #""forgotten""#)
    }

    @Test func `an optional is compared too, also if it is nil`() throws {
        let state = Self.program(Int.self, Int?.none)
        #expect(try state.encode(Int?.none, Self.place) == "null")
        #expect(try state.encode(5 as Int?, Self.place) == "5")
        let lossy = Self.program(Int.self, Forgetful?.none)
        #expect(throws: JournalError.self) { try lossy.encode(Forgetful.set(secret: "x") as Forgetful?, Self.place) }
        // JSON does not distinguish an inner nil from an outer nil.
        let twice = Self.program(Int.self, Int??.none)
        #expect(throws: JournalError.self) { try twice.encode(Int??.some(nil), Self.place) }
    }

    @Test func `a program decodes the actions and states that it encoded`() throws {
        let program = Self.program(Nested2.self, [1.5])
        let text = try program.encode(.item(3), Self.place)
        #expect(text == #"{"item":{"_0":3}}"#)
        #expect(try program.action(text, version: 1, Self.place) == .item(3))
        #expect(try program.state(try program.encode([2.5], Self.place), version: 1, Self.place) == [2.5])
    }

    enum Nested2: Codable, Equatable, Sendable { case item(Int) }

    // MARK: Errors

    struct Prices: Codable, Equatable, Sendable { var list: [Double] = [], byName: [String: Double] = [:] }

    @Test func `a state that cannot be encoded is an error with its type and the coding path`() {
        let program = Self.program(Int.self, Prices())
        let error = #expect(throws: JournalError.self) { try program.encode(Prices(list: [1, .nan]), Self.place) }
        #expect(error?.code == .notStorable)
        #expect(error?.message.hasPrefix("The state 'Prices' cannot be encoded at list.") == true)
        #expect(error?.advice == "Make sure it holds only what its codec can encode.")
        #expect(error?.stream == "cart-42" && error?.step == 3 && error?.file == "/tmp/shop.db")
    }

    @Test func `an action that cannot be encoded is an error with its type`() {
        let error = #expect(throws: JournalError.self) {
            try Self.program([Double].self, 0).encode([.infinity], Self.place)
        }
        #expect(error?.code == .notStorable)
        #expect(error?.message.hasPrefix("The action 'Array<Double>' cannot be encoded") == true)
        #expect(error?.advice == "Nothing was appended. Make sure it holds only what its codec can encode.")
    }

    struct Offer: Codable, Equatable, Sendable { var prices: [String: [Decimal]] = [:], last: Decimal? }

    @Test func `a Decimal that is NaN is an error with the coding path, without the keys of a dictionary`() {
        let program = Self.program(Int.self, Offer())
        for (offer, path) in [
            (Offer(prices: ["hunter2": [1, .nan]]), "prices.<key>.1"), (Offer(last: .nan), "last"),
        ] {
            let error = #expect(throws: JournalError.self) { try program.encode(offer, Self.place) }
            #expect(error?.message == "The state 'Offer' cannot be encoded at \(path): not a finite number.")
        }
        // Its path is not known: Foundation encodes it.
        #expect(throws: EncodingError.self) { try Self.codec.encode([Priced(price: .nan)]) }
    }

    @Test func `an ID that cannot be encoded is an error with its type`() {
        struct Price: EffectID { var price: Double }
        let error = #expect(throws: JournalError.self) {
            try Self.program(Int.self, 0).encode(id: AnyEffectID(Price(price: .nan)), Self.place)
        }
        #expect(error?.code == .notStorable)
        #expect(error?.message.contains("The ID 'JournalStoreTests.") == true)
        #expect(error?.message.contains("$") == false)
        // The app knows its own types, and not those that a scope puts around them.
        let scoped = #expect(throws: JournalError.self) {
            let id = ScopedID(scope: "left", id: AnyEffectID(Price(price: .nan)))
            return try Self.program(Int.self, 0).encode(id: AnyEffectID(id), Self.place)
        }
        #expect(scoped?.message == error?.message)
    }

    @Test func `no error contains the keys of a dictionary`() {
        let program = Self.program(Int.self, Prices())
        let encoding = #expect(throws: JournalError.self) {
            try program.encode(Prices(byName: ["hunter2": .nan]), Self.place)
        }
        #expect(encoding?.description.contains("hunter2") == false)
        let decoding = #expect(throws: JournalError.self) {
            try program.state(#"{"byName":{"hunter2":"x"},"list":[]}"#, version: 1, Self.place)
        }
        #expect(decoding?.description.contains("hunter2") == false)
    }

    struct Wrong: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var reason: String

        static let all = [
            Wrong(testDescription: "a key is missing", text: #"{"list":[]}"#, reason: ": no 'byName'."),
            Wrong(
                testDescription: "another type", text: #"{"list":[1,"hunter2"],"byName":{}}"#,
                reason: ": not a Double at list.1."),
            Wrong(testDescription: "null", text: #"{"list":null,"byName":{}}"#, reason: " at list."),
            Wrong(testDescription: "no JSON", text: "hunter2", reason: "."),
        ]
    }

    @Test(arguments: Wrong.all) func `a decoding error has the coding path, but not the value`(_ wrong: Wrong) {
        let error = #expect(throws: JournalError.self) {
            try Self.program(Int.self, Prices()).state(wrong.text, version: 1, Self.place)
        }
        #expect(error?.code == .notDecodable)
        #expect(error?.message.hasPrefix("The state of version 1 cannot be decoded") == true)
        #expect(error?.message.hasSuffix(wrong.reason) == true, "\(error?.message ?? "")")
        #expect(error?.description.contains("hunter2") == false)
        #expect(
            error?.advice == "If the type has changed, raise the machine's version and add an upcaster from version 1.")
    }

    /// Writes what it cannot read.
    struct OneWay: Codable, Equatable, Sendable {
        init() {}
        init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "hunter2"))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test func `a value that is encoded but cannot be decoded is refused`() {
        let error = #expect(throws: JournalError.self) { try Self.program(OneWay.self, 0).encode(OneWay(), Self.place) }
        #expect(error?.code == .lossyCoding)
        #expect(error?.message.hasSuffix("OneWay' cannot be decoded after it was encoded.") == true)
        #expect(error?.description.contains("hunter2") == false)
    }
}

@Suite struct `A custom codec` {
    @Test func `a custom codec encodes actions and states; IDs, queues and policies stay JSON`() async throws {
        struct Line: Oldest1SuspendNewEffectQueue {}
        struct Payment: EffectID { var order = 7 }
        var machine = Machine<String, [String], Void>("m", initialState: []) { action, state, _ in
            state.append(action)
            return action == "pay"
                ? .run("charge", id: Payment(), queue: Line(), retry: .constant(maxAttempts: 2)) { "paid" } : .none
        }
        machine.codec = ReversedCodec()
        let journal = try Journal.inMemory()
        let store = try await journal.open(machine, stream: "a")
        let paid = try await store.dispatch("pay", cancelID: Payment(order: 8), trackingFeedback: true)
        await paid.completion()
        try await store.flush()
        let run = try #require(try journal.reader.effectRuns(in: "a").first)
        #expect(run.effectIDText?.hasSuffix(#"Payment":{"order":7}}"#) == true)
        #expect(run.queueText?.hasSuffix(#"Line":{}}"#) == true)
        #expect(run.retry == .constant(maxAttempts: 2))
        #expect(run.effectID?.as(Payment.self) == Payment())
        #expect(run.queue?.as(Line.self) == Line())
        #expect(run.restart == .resume)
        let entries = try journal.reader.entries(in: "a")
        #expect(entries.map(\.action) == [#""yap""#, #""diap""#])
        #expect(entries[0].cancelID?.contains(#"{"order":8}"#) == true)
        try await store.close()
        #expect(try await journal.open(machine, stream: "a").state == ["pay", "paid"])
    }
}
