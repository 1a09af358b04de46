import JournalStore
import JournalTesting
import Synchronization
import Testing

/// A cart whose faults a test can choose.
private struct Cart: Codable, Sendable, Equatable {
    var items: [String] = []
    var receipts: [String] = []
}

private enum CartAction: Codable, Sendable, Equatable { case add(String), pay, paid(String) }

/// The cart's environment, with functions that a test can replace with faulty ones.
private struct Shop: Sendable {
    let outside: Outside
    var item: @Sendable (String) -> String = { $0 }
    var key: @Sendable (EffectContext) -> String = { $0.idempotencyKey }
}

private let cart = Machine<CartAction, Cart, Shop>("cart", initialState: Cart()) { action, state, shop in
    switch action {
    case .add(let item):
        state.items.append(shop.item(item))
        return .none
    case .pay:
        return .run("charge", id: "payment") { [items = state.items] context in
            .paid(shop.outside.call("charge", key: shop.key(context)) { _ in "\(items.count) items" })
        }
    case .paid(let receipt):
        state.receipts.append(receipt)
        return .none
    }
}

@Suite struct `The crash matrix` {
    /// The lines of the failure's description.
    private func failure(
        _ actions: [CartAction], _ shop: @escaping @Sendable (Outside) -> Shop
    ) async throws -> [String] {
        let failure = try #require(
            await #expect(throws: CrashMatrixFailure.self) {
                try await CrashMatrix(cart, actions: actions, environment: shop).run()
            })
        return failure.description.split(separator: "\n").map(String.init)
    }

    @Test func `a request whose answer is nil is made, and is answered with nil again`() async throws {
        let asked = Mutex(0)
        let lookUp = Machine<String, [String], Outside>("look-up", initialState: []) { action, state, outside in
            guard action == "look up" else {
                state.append(action)
                return .none
            }
            return .run("look up") { context in
                let found: String? = outside.call("look up", key: context.idempotencyKey) { _ in
                    asked.withLock { $0 += 1 }
                    return nil
                }
                return found ?? "nobody"
            }
        }
        let report = try await CrashMatrix(lookUp, actions: ["look up"]) { $0 }.run()
        #expect(asked.withLock { $0 } > 0)
        #expect(report.requests["look up"] == 1)
    }

    @Test func `the matrix fails if the state loses something when it is stored`() async throws {
        struct Lossy: Codable, Sendable, Equatable {
            var count = 0
            var lost = 0
            enum CodingKeys: CodingKey { case count }
        }
        let machine = Machine<Int, Lossy, Outside>("lossy", initialState: Lossy()) { number, state, _ in
            state.count += number
            state.lost += number
            return .none
        }
        let failure = try #require(
            await #expect(throws: CrashMatrixFailure.self) {
                try await CrashMatrix(machine, actions: [1, 2]) { $0 }.run()
            })
        #expect(failure.description.contains("A snapshot could not be stored: "))
        #expect(failure.description.contains("The state 'Lossy' is not the same at lost"))
    }

    @Test func `the matrix compares actions, and not the texts of a codec that encrypts`() async throws {
        var secret = cart
        secret.codec = EncryptingCodec()
        var matrix = CrashMatrix(secret, actions: [.add("apple"), .pay]) { Shop(outside: $0) }
        matrix.entries = .inOrder
        let report = try await matrix.run()
        #expect(report.cuts > 1)
    }

    @Test func `the matrix kills at each moment that leaves something new, and again after each`() async throws {
        let matrix = CrashMatrix(cart, actions: [.add("apple"), .pay]) { Shop(outside: $0) }
        let report = try await matrix.run()
        // Opening, two dispatches, their outcomes, around the request, the result.
        #expect(report.cuts > 6 && report.equalCuts > 0, "\(report)")
        #expect(report.secondCuts > report.cuts && report.equalSecondCuts > report.secondCuts, "\(report)")
        #expect("\(report)".hasPrefix("3 entries, 1 effect: killed at \(report.cuts) moments ("))
        var once = matrix
        once.cutsTwice = false
        #expect(try await once.run().secondCuts == 0)
    }

    /// Each run makes the same requests, so no difference shows that there should be more of them.
    @Test func `the report counts the keys of each request`() async throws {
        let keys: [(@Sendable (EffectContext) -> String, Int)] = [({ $0.idempotencyKey }, 2), ({ _ in "order" }, 1)]
        for (key, count) in keys {
            var matrix = CrashMatrix(cart, actions: [.pay, .pay]) { Shop(outside: $0, key: key) }
            matrix.cutsTwice = false
            #expect(try await matrix.run().requests == ["charge": count])
        }
    }

    @Test func `the matrix finds a reducer that counts outside of its state`() async throws {
        let count = Atomic(0)
        let lines = try await failure([.add("apple"), .add("pear")]) { outside in
            Shop(outside: outside, item: { "\($0) \(count.add(1, ordering: .relaxed).newValue)" })
        }
        // The replay at the end of the uncut run counts too, hence the gap.
        #expect(
            lines == [
                "The machine 'cart' ended differently after a kill.",
                "Killed at moment 1, after commit 1 (opening); the journal ended with step 0, settled up to 0",
                "  state (without a kill → with it):", #"    items[0]: "apple 1" → "apple 5""#,
                #"    items[1]: "pear 2" → "pear 6""#,
            ])
    }

    /// Its key is the same each time, so the number of keys shows nothing.
    @Test func `the matrix finds a reducer that makes a request`() async throws {
        let lines = try await failure([.add("apple")]) { outside in
            Shop(
                outside: outside,
                item: { item in
                    outside.call("look up", key: item)
                    return item
                })
        }
        #expect(
            lines == [
                "The machine 'cart' failed without any kill.",
                "  A replay made the request 'look up': the reducer makes it, and not the body of an effect.",
            ])
    }

    @Test func `the matrix finds a reducer that is not deterministic`() async throws {
        let lines = try await failure([.add("apple")]) { outside in
            Shop(outside: outside, item: { "\($0) \(UInt64.random(in: 0 ... .max))" })
        }
        #expect(lines.last?.hasPrefix(#"    items[0]: "apple "#) == true, "\(lines)")
    }

    @Test func `the matrix finds a body that uses a new idempotency key for each attempt`() async throws {
        let lines = try await failure([.add("apple"), .pay]) { outside in
            Shop(outside: outside, key: { _ in "\(UInt64.random(in: 0 ... .max))" })
        }
        #expect(lines.count == 3)
        #expect(
            lines[1].hasSuffix(
                ", after the request 'charge', before its answer arrived (finish); the journal ended with step 2 (pay), settled up to 1"
            ))
        #expect(lines[2] == "  outside: 'charge' was done under 2 keys, and under 1 in the run without a kill")
    }

    /// Its only request takes no time, so the record of its start is written with that of its end.
    @Test func `the matrix finds a body whose request depends on the attempt, or on whether it is resumed`()
        async throws
    {
        let keys: [@Sendable (EffectContext) -> String] = [
            { "\($0.idempotencyKey)-\($0.attempt)" }, { "\($0.idempotencyKey)-\($0.isResumed)" },
        ]
        for key in keys {
            let lines = try await failure([.pay]) { outside in Shop(outside: outside, key: key) }
            #expect(lines.count == 3)
            #expect(lines[1].hasSuffix("settled up to 1; under way: 'charge' running"), "\(lines)")
            #expect(lines[2] == "  outside: 'charge' was done under 2 keys, and under 1 in the run without a kill")
        }
    }

    @Test func `the failure names both cuts if only two cuts make a difference`() async throws {
        let third = Machine<CartAction, Cart, Void>("third", initialState: Cart()) { action, state, _ in
            guard case .paid(let receipt) = action else {
                return .run { context in
                    try await context.clock.sleep(for: .seconds(1))
                    return .paid(context.attempt > 2 ? "late" : "in time")
                }
            }
            state.receipts.append(receipt)
            return .none
        }
        let failure = try #require(
            await #expect(throws: CrashMatrixFailure.self) { try await CrashMatrix(third, actions: [.pay]).run() })
        #expect(failure.cuts.count == 2)
        #expect(failure.description.contains("\nand again at moment "))
        #expect(failure.description.contains("under way: 'pay' running\n  state"), "\(failure)")
        #expect(failure.differences.contains(#"  receipts[0]: "in time" → "late""#))
    }

    @Test func `the matrix fails if an effect never ends, unless the script cancels it`() async throws {
        let endless = Machine<CartAction, Cart, Void>("endless", initialState: Cart()) { action, _, _ in
            guard action == .pay else { return .cancel(id: "clock") }
            return .stream("tick", id: "clock") { _, context in
                while true { try await context.clock.sleep(for: .seconds(1)) }
            }
        }
        let failure = await #expect(throws: CrashMatrixFailure.self) {
            try await CrashMatrix(endless, actions: [.pay]).run()
        }
        #expect(
            failure?.description == """
                The machine 'endless' failed without any kill.
                  The clock was advanced 1000 times, and an effect still sleeps: an effect that never ends by itself needs \
                a script that cancels it, a long timer a higher 'maximumTurns'.
                """)
        let script: [CrashStep<CartAction>] = [.dispatch(.pay), .advance(.milliseconds(2500)), .dispatch(.add(""))]
        let report = try await CrashMatrix(endless, script: script).run()
        #expect(report.cuts > 5)
    }

    @Test func `the matrix fails if effects lead to each other for ever`() async throws {
        let endless = Machine<Int, Int, Void>("endless", initialState: 0) { number, state, _ in
            state = number
            return .run("again") { number + 1 }
        }
        let failure = await #expect(throws: CrashMatrixFailure.self) {
            try await CrashMatrix(endless, actions: [1]).run()
        }
        #expect(
            failure?.differences == [
                "Effects lead to each other for ever, and none of them sleeps: after 1000 commits, starts and ends of "
                    + "bodies the clock has not moved. Let a body sleep on the clock of its context, or end."
            ])
    }

    @Test func `the report counts what failed, what was rejected, and each effect that did not end`() async throws {
        let machine = Machine<CartAction, Cart, Void>("poor", initialState: Cart()) { action, _, _ in
            switch action {
            case .add: .run("fail") { throw CancellationError() }
            case .pay: .reject("No.")
            case .paid: .ephemeral("wait") { _ in try await forever() }
            }
        }
        var matrix = CrashMatrix(machine, actions: [.add("apple"), .pay, .paid("")])
        matrix.cutsTwice = false
        let report = try await matrix.run()
        #expect((report.failed, report.rejected, report.unfinished) == (1, 1, 1))
        #expect(
            report.description.hasPrefix(
                "1 effect never ended. 3 entries (1 rejected), 1 effect (1 failed): killed at "), "\(report)")
    }

    @Test func `normalize and accepts decide what the matrix compares`() async throws {
        var matrix = CrashMatrix(cart, actions: [.add("apple")]) { outside in
            Shop(outside: outside, item: { "\($0) \(UInt64.random(in: 0 ... .max))" })
        }
        matrix.normalize = { $0.items = [] }
        try await matrix.run()
        matrix.normalize = { _ in }
        matrix.accepts = { $0.state.items.count == 1 && $0.interrupted.isEmpty }
        try await matrix.run()
    }

    private struct Words: Codable, Sendable { var all: Set<String> = [] }

    /// Encoded, a set that was decoded can have another order than one to which the same members were added.
    @Test func `states without == are compared by value`() async throws {
        let words = Machine<Int, Words, Void>("words", initialState: Words()) { number, state, _ in
            for factor in 0..<10 { state.all.insert("\(number * factor)") }
            return .none
        }
        var matrix = CrashMatrix(words, actions: [1, 2, 3, 4, 5])
        matrix.cutsTwice = false
        #expect(try await matrix.run().cuts > 5)
    }

    /// A test that takes too long is no failure of its machine.
    @Test func `a matrix that is cancelled ends with that error`() async throws {
        let opened = Signal()
        let matrix = CrashMatrix(cart, actions: (1...20).flatMap { [.add("\($0)"), .pay] }) { outside in
            opened.send()
            return Shop(outside: outside)
        }
        let run = Task { try await matrix.run() }
        await opened.wait(times: 3)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    /// Such a task runs beside those of the journal, whose files it must not copy half changed.
    @Test func `a body can make its requests in a task that it starts`() async throws {
        let asking = Machine<Int, Int, Outside>("asking", initialState: 0) { action, sum, outside in
            sum += action
            guard action == 1 else { return .none }
            return .run("ask") { context in
                let asked = Task {
                    for number in 1...12 {
                        outside.call("ask \(number)", key: context.idempotencyKey)
                        await Task.yield()
                    }
                }
                await asked.value
                return 100
            }
        }
        for _ in 1...4 {
            var matrix = CrashMatrix(asking, script: (1...13).map { .dispatch($0) } + [.finish]) { $0 }
            matrix.cutsTwice = false
            matrix.entries = .inAnyOrder
            #expect(try await matrix.run().cuts > 20)
        }
    }

    /// With the start recorded first, the script adds more before the body begins.
    @Test func `the report says if no kill after the record of a start was tried`() async throws {
        for waits in [false, true] {
            var matrix = CrashMatrix(
                cart,
                script: [.dispatch(.pay)] + (waits ? [.finish] : []) + (1...4).map { .dispatch(.add("\($0)")) }
            ) { Shop(outside: $0) }
            matrix.cutsTwice = false
            matrix.entries = .inOrder
            matrix.accepts = { _ in true }
            let report = try await matrix.run()
            #expect(report.skipsRecordedStarts != waits)
            #expect("\(report)".contains("Not killed after the record of a body's start") != waits, "\(report)")
        }
    }

    /// Two timers, one after the other: a timeout that is cancelled, and ticks until they are stopped.
    private enum Timing: Codable, Sendable, Equatable { case start, expire, stop, begin, tick, end }

    @Test func `a part of the script that begins later than without a kill lasts as long as without`() async throws {
        let machine = Machine<Timing, Int, Void>("timing", initialState: 0) { action, ticks, _ in
            switch action {
            case .start: return .after(.seconds(2), .expire, id: "timeout")
            case .stop: return .cancel(id: "timeout")
            case .begin: return .every(.milliseconds(500), .tick, missed: .one, id: "ticks")
            case .end: return .cancel(id: "ticks")
            case .tick: ticks += 1
            case .expire: break
            }
            return .none
        }
        var matrix = CrashMatrix(
            machine,
            script: [
                .dispatch(.start), .advance(.milliseconds(100)), .dispatch(.stop), .finish, .dispatch(.begin),
                .advance(.seconds(1)), .dispatch(.end), .finish,
            ])
        matrix.cutsTwice = false
        #expect(try await matrix.run().cuts > 6)
    }

    /// As a floating-point number, 13 hours are a little less.
    @Test func `a part of the script is as long as it says, to the microsecond`() async throws {
        let time = Duration.seconds(13 * 3_600)
        let machine = Machine<Timing, Int, Void>("timing", initialState: 0) { action, expired, _ in
            switch action {
            case .start: return .after(time, .expire, id: "timeout")
            case .stop: return .cancel(id: "timeout")
            case .expire: expired += 1
            case .begin, .tick, .end: break
            }
            return .none
        }
        var matrix = CrashMatrix(machine, script: [.dispatch(.start), .advance(time), .dispatch(.stop)])
        matrix.cutsTwice = false
        #expect(try await matrix.run().entries == 3)
    }

    @Test func `a kill between a request that fails and what is made of that is tried`() async throws {
        let shop = Machine<String, [String], Outside>("shop", initialState: []) { action, state, outside in
            guard action == "ship" else {
                state.append(action)
                return .none
            }
            return .run("ship") { context in
                // It remembers whether the first request was granted: the second one would be.
                let isGranted = try await context.step("ask") {
                    do {
                        try outside.call("ship", key: context.idempotencyKey) { times throws(CancellationError) in
                            if times == 1 { throw CancellationError() }
                            return true
                        }
                        return true
                    } catch { return false }
                }
                return isGranted ? "shipped" : "cancelled"
            }
        }
        let failure = try #require(
            await #expect(throws: CrashMatrixFailure.self) {
                try await CrashMatrix(shop, actions: ["ship"]) { $0 }.run()
            })
        #expect(failure.description.contains("after the request 'ship' failed"), "\(failure)")
    }
}
