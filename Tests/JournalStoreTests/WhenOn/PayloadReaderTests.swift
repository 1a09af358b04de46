import Testing

@testable import JournalStore

private final class Track: Sendable { let number = 7 }

private enum Shape: Equatable, Sendable {
    case empty
    case count(Int)
    case labelled(count: Int)
    case pair(Int, String)
    case route(from: Int, to: Int)
    case text(String)
    case maybe(Int?)
    case unit(Void)
    case list([String])
    indirect case boxed(Int, String)
    indirect case nested(Shape)

    static func == (left: Shape, right: Shape) -> Bool { "\(left)" == "\(right)" }
}

private indirect enum Chain: Equatable, Sendable {
    case end
    case link(wide: OddlyAligned, Chain)
    case name(String)
}

/// More than the extra bits of a pointer, with an alignment of its own.
private struct OddlyAligned: Equatable, Sendable {
    var bytes: (UInt8, SIMD2<Double>)
    var text: String

    static func == (left: OddlyAligned, right: OddlyAligned) -> Bool {
        left.bytes == right.bytes && left.text == right.text
    }
}

private enum Single: Equatable, Sendable {
    case only(String)
}

@Suite struct `Reading the payload of a case`: Sendable {
    private static let shapes: [Shape] = [
        .empty, .count(3), .labelled(count: 4), .pair(5, "five"), .route(from: 6, to: 7),
        .text("a text that needs memory"), .maybe(8), .maybe(nil), .unit(()), .list(["a", "b"]),
        .boxed(9, "nine, in a box"), .nested(.boxed(1, "x")),
        .nested(.empty),
    ]

    /// The texts of the payloads that a constructor finds in all shapes, twice: before and after the cases are known.
    private func found<Payload>(_ constructor: @escaping @Sendable (Payload) -> Shape) -> [String] {
        let reader = PayloadReader<Shape>()
        return (0..<2).flatMap { _ in
            Self.shapes.compactMap { shape in reader.payload(of: shape, in: constructor).map { "\($0)" } }
        }
    }

    private func twice(_ texts: String...) -> [String] { texts + texts }

    @Test func `a constructor finds the payloads of its own case and of no other`() {
        #expect(found(Shape.count) == twice("3"))
        #expect(found(Shape.labelled(count:)) == twice("4"))
        #expect(found(Shape.text) == twice("a text that needs memory"))
        #expect(found(Shape.maybe) == twice("Optional(8)", "nil"))
        #expect(found(Shape.unit) == twice("()"))
        #expect(found(Shape.list) == twice("[\"a\", \"b\"]"))
    }

    @Test func `several values are a tuple, with and without labels`() {
        #expect(found(Shape.pair) == twice("(5, \"five\")"))
        #expect(found(Shape.route(from:to:)) == twice("(6, 7)"))
    }

    @Test func `an indirect payload is read out of its box`() {
        #expect(found(Shape.boxed) == twice("(9, \"nine, in a box\")"))
        let reader = PayloadReader<Shape>()
        for _ in 0..<2 {
            #expect(reader.payload(of: .nested(.nested(.pair(1, "a"))), in: Shape.nested) == .nested(.pair(1, "a")))
        }
    }

    @Test func `a payload in a box is read at its own alignment`() throws {
        let reader = PayloadReader<Chain>()
        let wide = OddlyAligned(bytes: (1, [2, 3]), text: "a text that needs memory")
        for _ in 0..<2 {
            let (found, rest) = try #require(reader.payload(of: .link(wide: wide, .name("b")), in: Chain.link))
            #expect(found == wide && rest == .name("b"))
            #expect(reader.payload(of: .name("c"), in: Chain.name) == "c")
            #expect(reader.payload(of: .end, in: Chain.name) == nil)
        }
    }

    @Test func `an enum of one case, and one inside an optional`() {
        #expect(PayloadReader<Single>().payload(of: .only("x"), in: Single.only) == "x")
        #expect(PayloadReader<Single?>().payload(of: .only("x"), in: { Single.only($0) }) == "x")
        #expect(PayloadReader<Single?>().payload(of: nil, in: { (text: String) in Single.only(text) }) == nil)
    }

    @Test func `reading keeps each object alive exactly as long as it is used`() {
        weak var gone: Track?
        do {
            enum Holder: Sendable { case track(Track), pair(Track, Int); indirect case box(Track) }
            let track = Track()
            gone = track
            let reader = PayloadReader<Holder>()
            for _ in 0..<3 {
                #expect(reader.payload(of: .track(track), in: Holder.track) === track)
                #expect(reader.payload(of: .pair(track, 1), in: Holder.pair)?.0 === track)
                #expect(reader.payload(of: .box(track), in: Holder.box) === track)
            }
        }
        #expect(gone == nil)
    }

    @Test func `a labelled payload that is a tuple itself`() throws {
        enum Map: Sendable {
            case point(at: (x: Int, y: Int))
            case plain((Int, Int))
        }
        let reader = PayloadReader<Map>()
        for _ in 0..<2 {
            let found = try #require(reader.payload(of: .point(at: (x: 3, y: 4)), in: Map.point(at:)))
            #expect(found == (3, 4))
            #expect(reader.payload(of: .plain((1, 2)), in: Map.point(at:)) == nil)
            #expect(try #require(reader.payload(of: .plain((1, 2)), in: Map.plain)) == (1, 2))
        }
    }

    /// The compiler passes `Found.number` also as a function of an `Int`.
    @Test func `the value of an optional payload is read by a constructor that takes a value`() {
        enum Found { case number(Int?), text(String?), counted(of: Int?), nothing }
        let reader = PayloadReader<Found>()
        for _ in 1...2 {
            #expect(reader.payload(of: .number(3), in: { (number: Int) in Found.number(number) }) == 3)
            #expect(reader.payload(of: .number(nil), in: { (number: Int) in Found.number(number) }) == nil)
            #expect(reader.payload(of: .text("3"), in: { (number: Int) in Found.number(number) }) == nil)
            #expect(reader.payload(of: .nothing, in: { (number: Int) in Found.number(number) }) == nil)
            #expect(reader.payload(of: .number(3), in: { (number: Int?) in Found.number(number) }) == .some(3))
            #expect(reader.payload(of: .counted(of: 3), in: { (count: Int) in Found.counted(of: count) }) == 3)
            #expect(reader.payload(of: .counted(of: nil), in: { (count: Int) in Found.counted(of: count) }) == nil)
        }
    }
}
