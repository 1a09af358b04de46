import Dispatch
import Testing

@testable import JournalStore
@testable import JournalTesting

@Suite struct `Failures of the test store` {
    @Test func `a failure is an issue at the line of the call`() async throws {
        let store = try await TestStore(purchase, environment: PurchaseWorld())
        let line = #line + 2
        await withKnownIssue {
            await store.send(.add("apple"))
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
                && issue.comments.map(\.rawValue) == [
                    "The state changed in step 1 (add), and no change is expected; before → after:\n  + items[0]: \"apple\""
                ]
        }
        await store.finish()
    }

    @Test func `a change of the state that is not the expected one`() async throws {
        let tested = try await Tested()
        await tested.store.send(.add("apple")) { $0.items = ["pear"] }
        await tested.store.send(.addTwo("kiwi"))
        await tested.store.send(.unwatch) { _ in }
        await tested.store.send(.unwatch) { _ in throw CancellationError() }
        #expect(
            tested.messages == [
                "The state after step 1 (add) is not the expected one; expected → found:\n  items[0]: \"pear\" → \"apple\"",
                """
                The state changed in step 2 (addTwo, then add), and no change is expected; before → after:
                  + items[1]: "kiwi"
                  + items[2]: "kiwi"
                """,
                "The closure for step 3 (unwatch) changes nothing, and neither did the step: remove the closure.",
                "The closure for the state after step 4 (unwatch) threw an error: CancellationError()",
            ])
    }

    @Test func `a state that is not the expected one, in a test that is not exhaustive`() async throws {
        let tested = try await Tested()
        tested.store.exhaustivity = .off
        await tested.store.send(.addTwo("kiwi")) { $0.items[1] = "pear" }
        #expect(
            tested.messages == [
                "The state after step 1 (addTwo, then add) is not the expected one; expected → found:\n"
                    + "  items[1]: \"pear\" → \"kiwi\""
            ])
        await tested.store.finish()
    }

    @Test func `an action that a step has added itself is not received, and the failure says so`() async throws {
        let tested = try await Tested()
        tested.store.timeLimit = .milliseconds(1)
        await tested.store.send(.addTwo("kiwi")) { $0.items = ["kiwi", "kiwi"] }
        await tested.store.receive(.add("kiwi"))
        await tested.store.receive(.add("pear"))
        let hint = "\n  It was reduced as a part of step 1: the actions that `.next` adds are not received."
        #expect(tested.messages.count == 2)
        #expect(tested.messages.first?.hasSuffix(hint) == true)
        #expect(tested.messages.last?.contains(hint) == false)
        await tested.store.finish()
    }

    @Test func `a rejection that is not the expected one`() async throws {
        let tested = try await Tested()
        await tested.store.send(.pay)
        await tested.store.send(.pay, rejected: "No.")
        await tested.store.send(.unwatch, rejected: "No.")
        #expect(
            tested.messages == [
                "The reducer rejected step 1 (pay): Nothing is ordered.; if that is expected, pass `rejected:`.",
                "The rejection of step 2 (pay) has another reason; expected → found:\n  self: \"No.\" → \"Nothing is ordered.\"",
                "Expected a rejection of step 3 (unwatch): No., but it was reduced.",
            ])
    }

    @Test func `an action that was not received fails the next send, which dispatches nothing, and finish`()
        async throws
    {
        let tested = try await Tested(Purchase(items: ["apple"]))
        await tested.store.send(.pay)
        await tested.store.send(.add("pear")) { $0.items.append("pear") }
        #expect(tested.store.store.state.items == ["apple"])
        #expect(tested.store.state.receipt == nil)
        await tested.store.finish()
        let list = "because the test has not received:\n  step 2, from effect: .paid(\"1 items\")"
        #expect(tested.messages == ["'add' was not dispatched, " + list, "The test is not finished, " + list])
    }

    @Test func `of many actions that were not received the first ones are listed`() async throws {
        let failures = Box<[String]>([])
        let machine = Machine<Int, Int, Void>("many", initialState: 0) { number, _, _ in
            number > 0 ? .none : .stream("count") { send in for next in 1...25 { try await send(next) } }
        }
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        await store.send(0)
        await store.finish()
        #expect(failures.value.count == 1)
        let lines = failures.value.first?.split(separator: "\n") ?? []
        #expect(lines.count == 22 && lines[1] == "  step 2, from effect: 1" && lines.last == "  and 5 more", "\(lines)")
    }

    @Test func `an action that is not the expected one`() async throws {
        let tested = try await Tested(Purchase(items: ["apple"]))
        await tested.store.send(.pay)
        await tested.store.receive(.paid("2 items")) { $0.receipt = "2 items" }
        await tested.store.send(.pay)
        await tested.store.receive(CasePath(PurchaseAction.add))
        #expect(tested.store.state.receipt == "1 items")
        #expect(
            tested.messages == [
                "Another action than expected was received; expected → found:\n  paid: \"2 items\" → \"1 items\"",
                "The received action does not meet the condition:\n  step 4, from effect: .paid(\"1 items\")",
            ])
    }

    @Test func `an action that does not come`() async throws {
        let tested = try await Tested(Purchase(items: ["apple"]))
        await tested.store.send(.remind)
        await tested.store.send(.listen)
        await tested.store.receive(.add("reminder"))
        tested.store.exhaustivity = .off
        await tested.store.send(.pay)
        await tested.store.receive(CasePath(PurchaseAction.add))
        #expect(
            tested.messages == [
                """
                Expected to receive .add("reminder"), but no such action came within 0.0 seconds.
                  'add' of step 1, ID {"String":"reminder"}: delayed until 2026-01-01T00:01:00.000000Z
                  'listen' of step 2: running
                  The next one is due when the clock is advanced by 60.0 seconds.
                """,
                """
                Expected to receive an action that meets the condition, but no such action came within 0.0 seconds.
                  not received: step 4, from effect: .paid("1 items")
                  'add' of step 1, ID {"String":"reminder"}: delayed until 2026-01-01T00:01:00.000000Z
                  'listen' of step 2: running
                  The next one is due when the clock is advanced by 60.0 seconds.
                """,
            ])
    }

    @Test func `an action that was skipped is not received later`() async throws {
        let tested = try await Tested()
        tested.store.exhaustivity = .off
        await tested.store.send(.remind)
        await tested.store.advance(by: .milliseconds(500))
        await tested.store.send(.watch)
        await tested.store.advance(by: .milliseconds(59_500))
        await tested.store.receive(.add("reminder"))
        await tested.store.receive(.add("tick"))
        await tested.store.advance(by: .seconds(1))
        await tested.store.send(.unwatch)
        await tested.store.receive(.add("tick"))
        let message = "Expected to receive .add(\"tick\"), but no such action came within 0.0 seconds."
        #expect(
            tested.messages == [
                """
                \(message)
                  'add' of step 2, ID {"String":"watch"}: delayed until 2026-01-01T00:01:00.500000Z
                  The next one is due when the clock is advanced by 0.5 seconds.
                """,
                message,
            ])
        await tested.store.finish()
    }

    @Test func `an effect that has not ended fails finish`() async throws {
        let tested = try await Tested()
        await tested.store.send(.wait)
        await tested.store.send(.listen)
        await tested.store.finish()
        #expect(
            tested.messages == [
                "Effects have not ended:\n  'wait' of step 1, ID {\"Int\":1}: running\n  'listen' of step 2: running\n"
                    + "  The next one is due when the clock is advanced by 1000000.0 seconds."
            ])
    }

    @Test func `an effect without a record that has not begun fails finish`() async throws {
        struct Lamps: Oldest1SuspendNewEffectQueue {}
        let failures = Box<[String]>([])
        let machine = Machine<Int, Int, Void>("lamps", initialState: 0) { _, _, _ in
            .ephemeral("on", queue: Lamps(), delay: .seconds(60)) { _ in } + .ephemeral("off", queue: Lamps()) { _ in }
        }
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        await store.send(1)
        await store.finish()
        #expect(
            failures.value == [
                """
                Effects have not ended:
                  'on' of step 1: delayed until 2026-01-01T00:01:00.000000Z
                  'off' of step 1: waiting
                  The next one is due when the clock is advanced by 60.0 seconds.
                """
            ])
    }

    @Test func `a test that does not call finish fails at the line of the test store`() async throws {
        let failures = Box<[TestStoreFailure]>([])
        let line = #line + 2
        func test(failing: Bool, _ exhaustivity: TestStore<PurchaseAction, Purchase>.Exhaustivity) async throws {
            let store = try await TestStore(purchase, environment: PurchaseWorld()) { failure in
                failures.change { $0.append(failure) }
            }
            store.exhaustivity = exhaustivity
            if failing { await store.send(.pay) }
        }
        try await test(failing: false, .off)
        #expect(failures.value.isEmpty)
        try await test(failing: false, .on)
        #expect(
            failures.value.map(\.message) == [
                "The test store was released before `finish()`: what it did last was not checked."
            ])
        #expect(failures.value.first?.description.hasPrefix("\(#fileID):\(line): The test store") == true)
        try await test(failing: true, .on)
        #expect(failures.value.count == 2)
    }

    @Test func `a dispatch that fails`() async throws {
        let tested = try await Tested()
        await tested.store.send(.add("apple"), id: "one") { $0.items = ["apple"] }
        await tested.store.send(.add("apple"), id: "one") { $0.items = ["apple", "apple"] }
        await tested.store.send(.add("pear"), id: "one") { $0.items = ["pear"] }
        #expect(tested.messages.count == 2)
        #expect(tested.messages.first == "'add' was not appended: its dispatch ID belongs to step 1.")
        #expect(
            tested.messages.last
                == "'add' could not be dispatched: stream 'test', step 1: The dispatch ID 'one' was used before, for "
                + "another action. Use an ID again only to ask again for the same action. [dispatch-id-reused]")
    }

    @Test func `a dispatch after finish`() async throws {
        let tested = try await Tested()
        await tested.store.finish()
        await tested.store.send(.add("late"))
        #expect(
            tested.messages == [
                "'add' could not be dispatched: stream 'test': The store was closed. Open it again. [closed]"
            ])
    }

    @Test func `a state that its codec changes fails finish`() async throws {
        struct Lossy: Codable, Sendable, Equatable {
            var count = 0
            var lost = 0
            enum CodingKeys: CodingKey { case count }
        }
        let failures = Box<[String]>([])
        let machine = Machine("lossy", initialState: Lossy()) { (state: inout Lossy, number: Int) in
            state.count += number
            state.lost += number
        }
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        await store.send(1) {
            $0.count = 1
            $0.lost = 1
        }
        await store.finish()
        #expect(
            failures.value == [
                "The library reports a problem: snapshot-failed: stream 'test', step 1: The state 'Lossy' is not the same "
                    + "at lost after it was encoded and decoded again. A replay would see another value. Make its "
                    + "Codable conformance keep all that == compares. [lossy-coding]"
            ])
    }

    @Test func `a described effect whose value loses something fails finish`() async throws {
        struct Job: Codable, Sendable, Equatable {
            var item: String
            var cents = 0
            enum CodingKeys: CodingKey { case item }
        }
        let failures = Box<[String]>([])
        let reducer = Reducer<String, Int, Void> { item, _, _ in .perform(Job(item: item, cents: 300)) }
            .handling(Job.self) { _, _, _ in nil }
        let machine = Machine("shop", initialState: 0, reducer: reducer)
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        await store.send("apple")
        await store.finish()
        #expect(failures.value.count == 1)
        #expect(
            failures.value.first?.contains("is not the same at cents after it was encoded") == true, "\(failures.value)"
        )
    }

    @Test func `messages that nothing reduces do not fail a test that takes long`() async throws {
        let failures = Box<[String]>([])
        let machine = Machine<Int, Int, Void>("sum", initialState: 0, update: { $0 += $1 })
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        await store.send(1) { $0 = 1 }
        store.journal.options.notify(
            .messagesWaiting, ErrorLocation(file: nil, stream: "other").error(.noMachine, "Messages wait."))
        await store.finish()
        #expect(failures.value == [])
    }

    @Test func `what the library notices fails the test`() async throws {
        let failures = Box<[String]>([])
        let twins = Machine<Int, Int, Void>("twins", initialState: 0) { _, _, _ in
            .fireAndForget("one") {} + .fireAndForget("one") {}
        }
        let store = try await TestStore(twins) { failure in failures.change { $0.append(failure.message) } }
        await store.send(1)
        #expect(failures.value.count == 1)
        await store.finish()
        #expect(failures.value.count == 1)
        #expect(failures.value.first?.hasPrefix("The library reports a problem: ambiguous-effects: ") == true)
    }

    @Test func `effects that lead to each other without end`() async throws {
        let failures = Box<[String]>([])
        let machine = Machine<Int, Int, Void>("endless", initialState: 0) { number, state, _ in
            state = number
            return .run("again") { number + 1 }
        }
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        store.timeLimit = .milliseconds(10)
        await store.send(1) { $0 = 1 }
        await store.send(0)
        await store.advance(by: .seconds(1))
        let lines = failures.value.first?.split(separator: "\n").map(String.init) ?? []
        #expect(failures.value.count == 1 && lines.first?.hasPrefix("Effects are still at work after ") == true)
        // The machine decides whether the time or the number of actions comes to its end first.
        let limits = [
            " actions not received; the newest: step ", " actions not received, and at most 1000 may wait; the",
        ]
        #expect(limits.contains { lines.last?.contains($0) == true }, "\(lines)")
    }

    @Test func `a test whose task is cancelled`() async throws {
        let messages = try await Task {
            let tested = try await Tested()
            await tested.store.send(.wait)
            withUnsafeCurrentTask { $0?.cancel() }
            await tested.store.send(.wait)
            await tested.store.send(.wait)
            await tested.store.finish()
            return tested.messages
        }.value
        #expect(
            messages == [
                "The test's task was cancelled, for example by its time limit: nothing is waited for any more."
            ])
    }

    @Test func `a body that blocks the thread of all tasks`() async throws {
        let failures = Box<[String]>([])
        let door = DispatchSemaphore(value: 0)
        let machine = Machine<Int, Int, Void>("blocking", initialState: 0) { number, state, _ in
            state = number
            return .fireAndForget("block") { door.wait() }
        }
        let store = try await TestStore(machine) { failure in failures.change { $0.append(failure.message) } }
        (store.timeLimit, store.blockLimit, store.closeLimit) = (
            .milliseconds(10), .milliseconds(50), .milliseconds(50)
        )
        await store.send(1) { $0 = 1 }
        await store.finish()
        #expect(failures.value.first?.contains("\n  'block' of step 1: running") == true)
        #expect(
            failures.value.last
                == "The journal failed: It cannot be closed, because the body of an effect blocks its thread.")
        #expect(failures.value.count == 2)
        door.signal()
    }

    @Test func `effects that have not ended, if the test has closed the store`() async throws {
        let tested = try await Tested()
        await tested.store.send(.wait)
        try await tested.store.store.close()
        await tested.store.finish()
        #expect(tested.messages.first == "Effects have not ended:\n  'wait' of step 1, ID {\"Int\":1}: running")
    }

    @Test func `a clock that is to go back`() async throws {
        let tested = try await Tested()
        let before = tested.store.clock.now
        await tested.store.advance(by: .seconds(-3))
        #expect(tested.messages == ["The clock cannot go back, as by -3.0 seconds."])
        tested.store.clock.move(by: .seconds(-3))
        #expect(tested.store.clock.now == before)
        await tested.store.finish()
    }

    @Test func `a clock that cannot become idle`() async throws {
        let tested = try await Tested()
        tested.store.exhaustivity = .off
        await tested.store.send(.remind)
        await tested.store.advanceUntilIdle()
        #expect(tested.messages == [] && tested.store.store.state.items == ["reminder"])
        await tested.store.send(.watch)
        await tested.store.advanceUntilIdle(atMost: 3)
        #expect(
            tested.messages == ["The clock has stopped at 3 moments, and something is still due in 1.0 seconds."])
        await tested.store.finish()
    }
}
