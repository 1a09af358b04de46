import Foundation
import JournalStore
import Testing

@Suite struct `Reducing one action by itself` {
    @Test func `the result has the state, the cascade and the effects, and nothing runs`() {
        let added = purchase.reduce(.addTwo("apple"), environment: PurchaseWorld())
        #expect(added.state.items == ["apple", "apple"])
        #expect(added.cascade == [.add("apple")])
        #expect(added.effects.isEmpty && added.rejection == nil)

        let paid = purchase.reduce(.pay, from: Purchase(items: ["apple"]), environment: PurchaseWorld())
        #expect(paid.state == Purchase(items: ["apple"]))
        #expect(paid.effects.map(\.name) == ["charge"])
        #expect(paid.effects.map(\.id) == [AnyEffectID("payment")])
        #expect(paid.effects.map(\.description) == [#"{"run":"charge","id":{"String":"payment"}}"#])
    }

    @Test func `a rejection leaves the state as it was`() {
        let refused = purchase.reduce(.pay, environment: PurchaseWorld())
        #expect(refused.rejection == "Nothing is ordered.")
        #expect(refused.state == purchase.initialState)
        #expect(refused.effects.isEmpty)
    }

    @Test func `a cancel names the ID, and a timer its action`() {
        let cancelled = purchase.reduce(.unwatch, environment: PurchaseWorld())
        #expect(cancelled.effects.map(\.id) == [AnyEffectID("watch")])
        #expect(cancelled.effects.map(\.name) == [nil])
        #expect(purchase.reduce(.watch, environment: PurchaseWorld()).effects.map(\.name) == ["add"])
    }

    @Test func `the step fixes the date and the random values`() {
        func drawn(_ seed: UInt64) -> [String] {
            purchase.reduce(.draw, environment: PurchaseWorld(), step: Step(date: .distantPast, seed: seed)).state.drawn
        }
        #expect(drawn(1) == drawn(1))
        #expect(drawn(1) != drawn(2))
    }

    @Test func `messages to other machines are listed`() {
        let counter = Machine("counter", initialState: 0) { (count: inout Int, action: Int) in count += action }
        let linked = counter.connected(to: counter, stream: "other") { $0.after == 2 ? 1 : nil }
        #expect(linked.reduce(2).effects.map(\.name) == ["other"])
        #expect(linked.reduce(1).effects.isEmpty)
    }

    private enum Job: Codable, Sendable, Equatable { case charge(Int) }
    private struct Charges: Newest1EffectQueue {}

    @Test func `an effect has its queue and its value`() {
        let machine = Machine<Int, Int, Void>("jobs", initialState: 0) { number, _, _ in
            .perform(Job.charge(number), queue: Charges()) + .updateQueue(Charges()) + .run("plain") { nil }
        }
        let effects = machine.reduce(7).effects
        #expect(effects.map(\.queue) == [AnyEffectID(Charges()), AnyEffectID(Charges()), nil])
        #expect(effects.map { $0.value(as: Job.self) } == [.charge(7), nil, nil])
        #expect(effects.first?.value(as: Int.self) == nil)
        #expect(effects.first != machine.reduce(8).effects.first)
        #expect(effects == machine.reduce(7).effects)
    }
}
