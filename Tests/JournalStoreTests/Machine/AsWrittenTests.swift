import Foundation
import JournalStore
import Testing
import TortureKit

/// Code as users write it: it must compile and work.
@Suite struct `Machine, as users write it` {
    // MARK: The cart of the design

    struct Item: Codable, Sendable, Equatable { var name: String }
    struct Receipt: Codable, Sendable, Equatable { var key: String }
    enum Payment: Codable, Sendable, Equatable { case none, pending(since: Date), done(Receipt), failed(String) }
    struct PaymentID: EffectID {}
    struct Shop: Sendable {
        let charged: Box<[String]>

        func charge(_ items: [Item], key: String) async throws -> Receipt {
            charged.change { $0 += items.map(\.name) }
            return Receipt(key: key)
        }
    }

    struct Cart: Codable, Sendable, Equatable { var items: [Item] = []; var payment = Payment.none }
    enum CartAction: Codable, Sendable, Equatable { case add(Item), pay, paid(Receipt), failed(String) }

    // Unchanged from the design, letter for letter.
    // swift-format-ignore
    @Test func `the cart of the design compiles unchanged and works`() async throws {
        let folder = try TemporaryFolder()
        let shop = Shop(charged: Box([]))

        let cart = Machine("cart", initialState: Cart(), reducer: Reducer<CartAction, Cart, Shop> { action, state, shop, step in
            switch action {
            case .add(let item):
                state.items.append(item)
                return .none
            case .pay:
                state.payment = .pending(since: step.date)
                return .run("charge", id: PaymentID(), restart: .resume, retry: .exponential(maxAttempts: 5)) { [items = state.items] context in
                    let receipt = try await shop.charge(items, key: context.idempotencyKey)
                    return .paid(receipt)
                }
            case .paid(let receipt):
                state.payment = .done(receipt)
                return .none
            case .failed(let reason):
                state.payment = .failed(reason)
                return .none
            }
        })

        let journal = try Journal(path: folder.path("shop.db"))
        let store = try await journal.open(cart, stream: "cart-42", environment: shop)
        try await store.dispatch(.add(Item(name: "apple")))
        let dispatched = try await store.dispatch(.pay)     // committed, reduced
        await dispatched.completion()                         // its effects have ended
        for await state in store.states {
            if case .done(let receipt) = state.payment {
                #expect(receipt.key.count == 32)
                break
            }
        }
        #expect(shop.charged.value == ["apple"])
        try await journal.close()
    }

    // MARK: A counter

    @Test func `a counter needs fourteen lines`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("counter.db")
        // 1
        enum Action: Codable { case increment, decrement }
        let counter = Machine("counter", initialState: 0) { (count: inout Int, action: Action) in
            switch action {
            case .increment: count += 1
            case .decrement: count -= 1
            }
        }
        let journal = try Journal(path: path)
        let store = try await journal.open(counter, stream: "counter")
        try await store.dispatch(.increment)
        print(store.state)
        try await journal.close()
        // 13
        #expect(store.state == 1)
    }

    // MARK: Other forms

    @Test func `a machine takes its reducer as a trailing closure, with or without the step`() {
        let three = Machine<Int, Int, Void>("three", version: 2, initialState: 1) { action, count, _ in
            count += action
            return .none
        }
        let four = Machine<Int, Int, String>("four", initialState: 1) { action, count, environment, step in
            count += action + environment.count + step.number
            return count > 5 ? .reject("too many") : .next(1)
        }
        #expect(three.name == "three" && three.version == 2 && three.initialState == 1)
        #expect(four.name == "four" && four.version == 1)
        var (count, step) = (0, Step())
        _ = three.reducer.reduce(2, &count, (), &step)
        _ = four.reducer.reduce(2, &count, "four", &step)
        #expect(count == 9)
    }

    enum Login: Codable, Sendable, Equatable { case login, loggedIn, logout, tick(Int) }
    struct LoginID: EffectIDProtocol {}
    struct LoginQueue: Newest1EffectQueueProtocol {}

    @Test func `a reducer in the form of Actomaton compiles and reduces`() {
        let reducer = Reducer<Login, Bool, @Sendable () async throws -> Login> { action, isLoggedIn, login in
            switch action {
            case .login: Effect(id: LoginID(), queue: LoginQueue()) { try await login() }
            case .loggedIn:
                Effect(
                    id: LoginID(),
                    sequence: {
                        AsyncStream {
                            $0.yield(.tick(1)); $0.finish()
                        }
                    })
            case .logout: .cancel(id: LoginID()) + .fireAndForget { print("bye") } + .nextAction(.tick(0))
            case .tick: .empty
            }
        }
        let combined = Reducer.combine(reducer, .empty)
        let cases: [(Login, [String])] = [
            (.login, ["run -"]), (.loggedIn, ["run -"]),
            (.logout, ["cancel \(LoginID())", "run -", "next \(Login.tick(0))"]), (.tick(0), []),
        ]
        var (state, step) = (false, Step())
        for (action, outline) in cases {
            let effect = combined.reduce(action, &state, { .loggedIn }, &step)
            #expect(effect.outline == outline)
        }
    }
}
