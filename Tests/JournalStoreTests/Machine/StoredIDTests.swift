import Foundation
import Testing

@testable import JournalStore

@Suite struct `Machine, stored effect IDs` {
    struct Order: EffectID { var number = 1 }
    struct Other: EffectID { var number = 1 }

    private func stored(_ id: some EffectID) throws -> AnyEffectID {
        AnyEffectID(StoredID(text: try JSONCodec().encode(AnyEffectID(id))))
    }

    @Test func `a condition on a type decodes stored IDs`() throws {
        let condition = Effect<Int>.cancel(ids: Order.self) { $0.number > 5 }.conditions[0]
        for id in [AnyEffectID(Order(number: 9)), try stored(Order(number: 9))] { #expect(condition(id)) }
        for id in [AnyEffectID(Order()), try stored(Order()), try stored(Other(number: 9)), try stored(9)] {
            #expect(!condition(id))
        }
        #expect(!condition(nil))
    }

    @Test func `a condition inside a scope matches only the stored IDs of that scope`() throws {
        let condition = Effect<Int>.cancel(ids: Order.self) { $0.number > 5 }.scoped("a").conditions[0]
        func scoped(_ scope: String, _ id: some EffectID) -> ScopedID { ScopedID(scope: scope, id: AnyEffectID(id)) }
        let own = scoped("a", Order(number: 9))
        for id in [AnyEffectID(own), try stored(own)] { #expect(condition(id)) }
        for id in [
            try stored(scoped("b", Order(number: 9))), try stored(scoped("a", Order())),
            try stored(scoped("a", Other(number: 9))), try stored(Order(number: 9)),
        ] { #expect(!condition(id)) }
        let twice = Effect<Int>.cancel(ids: Order.self).scoped("a").scoped("b").conditions[0]
        #expect(try twice(stored(scoped("b", scoped("a", Order())))))
        #expect(try !twice(stored(scoped("a", scoped("b", Order())))))
    }

    @Test func `a stored ID is encoded as it was, whatever JSON it contains`() throws {
        struct Odd: EffectID {
            var text = "é \"/\\ 🎈", none: Int? = nil, large = UInt64.max, small = Int64.min, part = 0.1, many = 1e300
            var list = [1, 2], yes = true, inner = ["b": 1, "a": 2]
        }
        let text = try JSONCodec().encode(AnyEffectID(Odd()))
        let tree = try JSONCodec().decode(AnyEffectID.self, from: text)
        #expect(try JSONCodec().encode(tree) == text)
        #expect(tree.as(Odd.self) == Odd())
    }

    @Test func `a stored ID keeps all digits of its numbers, and equals the ID`() throws {
        struct Long: EffectID {
            var low = Int128.min, wide = Int128(Int64.min) - 1, high = UInt128.max
            var price = Decimal(string: "12345678901234567890123456.789"), plain = Decimal(string: "0.1")
            var parts = [0.1 + 0.2, 1.5, 1e300, .leastNonzeroMagnitude], last = Int128(Int64.max) + 1
        }
        let text = try JSONCodec().encode(AnyEffectID(Long()))
        let restored = try JSONCodec().decode(AnyEffectID.self, from: text)
        #expect(try JSONCodec().encode(restored) == text)
        #expect(restored.as(Long.self) == Long())
        #expect(restored == AnyEffectID(Long()))
        #expect(restored != AnyEffectID(changed(Long()) { $0.high -= 1 }))
    }
}
