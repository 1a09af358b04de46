import Foundation
import Testing
import TortureKit

@testable import JournalStore

private struct Weighing: Codable, Sendable { var number: Int }

@Suite struct `Mistakes surface at once` {
    // MARK: Impure reducers

    /// Opens a counter whose reducer the test supplies, dispatches 1 and 2, and returns the notices.
    private func notices(
        reducingTwice: Bool = true,
        _ reduce: @escaping @Sendable (Int, inout [String], Void, inout Step) -> Effect<Int>
    ) async throws -> [Notice] {
        let folder = try TemporaryFolder()
        let notices = Box<[Notice]>([])
        let journal = try openJournal(folder.path("a.db")) { options in
            options.reducesTwice = reducingTwice
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let store = try await journal.open(Machine("m", initialState: [], reduce: reduce), stream: "order-17")
        for number in 1...2 { try await store.dispatch(number) }
        let state = store.state
        try await journal.close()
        // The store continues with one of the results, and stores that one.
        let again = try Journal(path: folder.path("a.db"))
        #expect(try await again.open(Machine("m", initialState: [], reduce: reduce), stream: "order-17").state == state)
        try await again.close()
        return notices.value
    }

    @Test(
        arguments: [
            (
                "Date()",
                { @Sendable _, state, _, _ in
                    state.append("\(Date().timeIntervalSinceReferenceDate)"); return .none
                }
            ),
            (
                "UUID()",
                { @Sendable _, state, _, _ in
                    state.append(UUID().uuidString); return .none
                }
            ),
            (
                "random numbers",
                { @Sendable _, state, _, _ in
                    state.append("\(UInt64.random(in: 0...UInt64.max))"); return .none
                }
            ),
        ] as [(String, @Sendable (Int, inout [String], Void, inout Step) -> Effect<Int>)])
    func `a reducer that uses the time, identity or chance is reported with its step`(
        _ cause: String, _ reduce: @escaping @Sendable (Int, inout [String], Void, inout Step) -> Effect<Int>
    ) async throws {
        let found = try await notices(reduce)
        let notice = try #require(found.first)
        #expect(found.count == 1, "once for each name of an action, and both are Int")
        #expect(notice.kind == .impureReducer)
        #expect(notice.error.code == .impureReducer)
        #expect((notice.error.stream, notice.error.step) == ("order-17", 1))
        let text = "\(notice)"
        #expect(text.contains("differ in state[0]"))
        for word in ["Date()", "UUID()", "Set", "globals"] { #expect(text.contains(word)) }
        #expect(try await notices(reducingTwice: false, reduce).isEmpty)
    }

    @Test func `other effects, another cascade and another outcome are reported`() async throws {
        let calls = Box(0)
        let turn: @Sendable () -> Bool = {
            calls.change { $0 += 1 }
            return calls.value.isMultiple(of: 2)
        }
        let effects = try await notices { _, _, _, _ in turn() ? .run("a") { nil } : .run("b") { nil } }
        #expect("\(try #require(effects.first))".contains("differ in effects[0]"))
        let cascades = try await notices { number, _, _, _ in number == 1 && turn() ? .next(3) : .none }
        #expect("\(try #require(cascades.first))".contains("differ in cascade"))
        let outcomes = try await notices { _, _, _, _ in turn() ? .reject("no") : .none }
        #expect("\(try #require(outcomes.first))".contains("differ in outcome"))
    }

    @Test(
        arguments: [
            { @Sendable in .perform(Weighing(number: $0)) }, { @Sendable in .after(.seconds(3_600 + $0), 3) },
            { @Sendable in .after(.seconds(3_600), $0) },
            { @Sendable in .run("a", delay: .seconds(3_600 + $0)) { nil } },
            { @Sendable in .run("a") { nil }.onFailure($0) }, { @Sendable in .run("a") { nil }.onCancel($0) },
            { @Sendable in .run("a") { nil }.onOrphan($0) }, { @Sendable in .run("a", restart: .dispatch($0)) { nil } },
            { @Sendable in .run("a", retry: .constant(maxAttempts: 3, delay: .seconds($0))) { nil } },
        ] as [@Sendable (Int) -> Effect<Int>])
    func `an effect with another value, time, action or policy is reported`(
        _ effect: @escaping @Sendable (Int) -> Effect<Int>
    ) async throws {
        let calls = Box(10)
        let found = try await notices { _, _, _, _ in
            calls.change { $0 += 1 }
            return effect(calls.value)
        }
        #expect("\(try #require(found.first { $0.kind == .impureReducer }))".contains("differ in effects[0]"))
        #expect(try await notices { _, _, _, _ in effect(10) }.filter { $0.kind == .impureReducer }.isEmpty)
    }

    @Test func `a pure reducer is not reported, whatever it returns`() async throws {
        let found = try await notices { number, state, _, step in
            state.append("\(step.uuid()) \(step.time) \(Int.random(in: 0..<1_000, using: &step))")
            switch number {
            case 1: return .next(3) + .run("a") { nil }
            case 2: return .reject("no")
            default: return .none
            }
        }
        #expect(found.isEmpty)
    }

    @Test func `an impure action is reported once, not at each step`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) { $0.report = { notice in notices.change { $0.append(notice) } } })
        let machine = Machine<Play, Int, Void>("m", initialState: 0) { _, state, _ in
            state = Int.random(in: 0...Int.max)
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        for _ in 1...5 { try await store.dispatch(.add(1)) }
        try await store.dispatch(.draw)
        #expect(notices.value.map(\.error.step) == [1, 6])
        try await journal.close()
    }

    @Test func `a number that is not a number makes no reducer impure`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) {
                $0.reducesTwice = true
                $0.report = { notice in notices.change { $0.append(notice) } }
            })
        let machine = Machine<Double, Double, Void>("m", initialState: 0) { action, state, _ in
            state = action.isNaN ? .nan : action
            return action == 1 ? .next(.nan) : .none
        }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1)
        #expect(store.state.isNaN)
        #expect(!notices.value.contains { $0.kind == .impureReducer })
        try await journal.close()
    }

    /// With an observer a store has a second state, which is one step behind.
    @Test func `a pure action is not reported for what the step before did`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) {
                $0.reducesTwice = true
                $0.report = { notice in notices.change { $0.append(notice) } }
            })
        let machine = Machine<Play, [String], Void>("m", initialState: []) { action, state, _ in
            state.append(action == .draw ? UUID().uuidString : "pure")
            return .none
        }
        let observed = Box<[Int]>([])
        let store = try await journal.open(
            machine, stream: "a", observers: [Observer { step in observed.change { $0.append(step.before.count) } }])
        for action: Play in [.draw, .add(1), .add(2), .draw, .refuse] { try await store.dispatch(action) }
        #expect(notices.value.map(\.error.step) == [1])
        #expect(observed.value == [0, 1, 2, 3, 4])
        try await journal.close()
    }

    @Test func `an action that is rejected is not reported for what an earlier step did`() async throws {
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) {
                $0.reducesTwice = true
                $0.report = { notice in notices.change { $0.append(notice) } }
            })
        var machine = Machine<Play, [String], Void>("m", initialState: []) { action, state, _ in
            if case .draw = action { state.append(UUID().uuidString) }
            if case .cancel = action { return .next(action) }
            return .none
        }
        machine.cascadeLimit = 10
        let store = try await journal.open(machine, stream: "a")
        for action: Play in [.draw, .add(1), .cancel("x")] { try await store.dispatch(action) }
        #expect(notices.value.map(\.kind) == [.impureReducer, .impureReducer])
        #expect(notices.value.map(\.error.step) == [1, 3])
        #expect(notices.value.first?.error.message.contains("with the action 'draw'") == true)
        let second = try #require(notices.value.last?.error)
        #expect(second.message.hasSuffix(" and differs in state[0]: an earlier step has two results."))
        try await journal.close()
    }

    // MARK: Copies

    /// Dispatches to a store, for which reducing takes a millisecond for each copy of the state, and returns the
    /// notices.
    private func notices(keeping isKept: Bool) async throws -> [Notice] {
        let (notices, copies) = (Box<[Notice]>([]), Box(0))
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice) } }
        options.measure = { reduce in
            let before = copies.value
            reduce()
            return .milliseconds(copies.value - before)
        }
        let journal = try Journal.inMemory(options: options)
        let machine = Machine<Int, [String], Void>(
            "m", initialState: (0..<4 * CopyCheck.interval).map { "the number \($0) as a text" }
        ) { number, state, _ in
            // A change of an array that something else holds moves its elements.
            let place = state.withUnsafeBufferPointer { $0.baseAddress }
            state[number] = "another"
            let isCopied = state.withUnsafeBufferPointer { $0.baseAddress } != place
            if isCopied { copies.change { $0 += 1 } }
            return .none
        }
        let store = try await journal.open(machine, stream: "order-17")
        var kept: [[String]] = []
        for number in 0..<(4 * CopyCheck.interval) {
            try await store.dispatch(number)
            if isKept { kept = [store.state] } else { _ = store.state }
        }
        #expect(kept.count == (isKept ? 1 : 0))
        try await journal.close()
        return notices.value
    }

    @Test func `a store whose states are kept, so that each step copies a large one, is reported once`() async throws {
        let found = try await notices(keeping: true)
        let notice = try #require(found.first)
        #expect(found.count == 1)
        #expect((notice.kind, notice.error.code) == (.copiedState, .copiedState))
        #expect((notice.error.stream, notice.error.step) == ("order-17", 3 * CopyCheck.interval))
        #expect(
            notice.error.message.hasSuffix(
                "took 1000 µs to reduce, and 0 µs on a state that nothing else holds: the rest is a copy of the state.")
        )
    }

    @Test func `a large state that is read and not kept is not reported`() async throws {
        #expect(try await notices(keeping: false).isEmpty)
    }

    @Test func `copies are reported if they cost more than reducing, in two measured steps in a row`() {
        func warnings(_ steps: [(time: Int, alone: Int)]) -> [Bool] {
            var check = CopyCheck()
            return steps.map { check.shouldWarn(.microseconds($0.time), alone: .microseconds($0.alone)) }
        }
        #expect(
            warnings([(500, 10), (10, 10), (500, 10), (500, 10), (500, 10)]) == [false, false, false, true, false])
        #expect(warnings([(500, 300), (500, 300)]) == [false, false], "reducing costs more")
        #expect(warnings([(105, 10), (105, 10)]) == [false, false], "too little to matter")
        #expect(warnings([(10, 500), (10, 500)]) == [false, false])
    }

    @Test func `a step in 32 is measured, until a warning was given`() {
        var check = CopyCheck()
        func due() -> [Int] { (1...100).filter { _ in check.isDue() } }
        #expect(due() == [32, 64, 96])
        for _ in 1...2 { _ = check.shouldWarn(.seconds(1), alone: .zero) }
        #expect(due() == [])
    }

    // MARK: Failures that nobody hears of

    enum Errand: Codable, Sendable { case go }

    @Test func `an effect that fails is reported, unless its machine hears of it`() async throws {
        struct Lost: Error {}
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) { $0.report = { notice in notices.change { $0.append(notice) } } })
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { number, state, _ in
            state += 1
            let failing = Effect<Int>.run("mail") { throw Lost() }
            switch number {
            case 1: return failing
            case 2: return .perform(Errand.go)
            case 3: return failing.onFailure(4)
            default: return .none
            }
        }
        let store = try await journal.open(machine, stream: "a")
        for number in 1...3 { try await store.dispatch(number).completion() }
        try await journal.close()
        #expect(notices.value.map(\.kind) == [.effectFailed, .effectFailed])
        #expect(notices.value.map(\.error.step) == [1, 2])
        #expect(notices.value.first?.error.message == "The effect 'mail' (1.0) has failed: Lost()")
        #expect(notices.value.last?.error.message.contains("There is no handler for ") == true)
        #expect(
            notices.value.map { $0.error.advice.contains("`journal-replay retry` runs it again") } == [true, false])
        #expect(notices.value.map { $0.error.advice.contains("It could not start.") } == [false, true])
        #expect(store.state == 4)
    }

    @Test func `an effect that cannot be stored fails again if it is retried, and its notice says what to change`()
        async throws
    {
        struct Odd: EffectID { var value = Double.nan }
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) { $0.report = { notice in notices.change { $0.append(notice) } } })
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { _, _, _ in .run("mail", id: Odd()) { 2 } }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1).completion()
        try await store.retry(RunKey(step: 1))
        try await store.flush()
        let run = try #require(try journal.reader.effectRuns(in: "a").first)
        #expect(run.status == .failed && run.attempts == 0)
        let error = try #require(run.error)
        #expect(error.hasPrefix("It cannot be encoded. The ID '"), "\(error)")
        let reason = ": not a finite number. Make sure it holds only what its codec can encode."
        #expect(error.hasSuffix(reason), "\(error)")
        try await journal.close()
        #expect(notices.value.map(\.kind) == [.effectFailed, .effectFailed])
        for notice in notices.value {
            #expect(notice.error.message == "The effect 'mail' (1.0) has failed: \(error)")
            #expect(notice.error.advice.contains("until then `journal-replay retry` fails in the same way."))
        }
    }

    struct Described: Error, CustomStringConvertible { var description: String }

    @Test(
        arguments: [
            ("", "Described"), (" \n", "Described"), (String(repeating: "x", count: 9_000), "x"),
            ("e" + String(repeating: "\u{301}", count: 9_000), "e\u{301}"),
        ]
    )
    func `an error is recorded by its type if its description is blank, and a long one is cut`(
        _ text: String, _ part: String
    ) async throws {
        let journal = try Journal.inMemory(options: changed(Journal.Options()) { $0.report = { _ in } })
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { _, _, _ in
            .run("mail") { throw Described(description: text) }
        }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1).completion()
        try await store.flush()
        let error = try #require(try journal.reader.effectRuns(in: "a").first?.error)
        #expect(text.utf8.count > 2 ? error.unicodeScalars.starts(with: part.unicodeScalars) : error.hasSuffix(part))
        #expect(error.unicodeScalars.count <= 4_096)
        try await journal.close()
    }

    /// A number without a form in JSON.
    enum Measured: Codable, Sendable { case start, ended(Double) }

    @Test func `an effect whose failure action cannot be encoded is reported with its own error and that one`()
        async throws
    {
        struct Lost: Error {}
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) { $0.report = { notice in notices.change { $0.append(notice) } } })
        let machine = Machine<Measured, Int, Void>("m", initialState: 0) { action, state, _ in
            guard case .start = action else { return .none }
            return .run("mail") { throw Lost() }.onFailure(.ended(.nan))
        }
        let store = try await journal.open(machine, stream: "a")
        let dispatched = try await store.dispatch(.start)
        await dispatched.completion()
        #expect(dispatched.errors.first is Lost)
        try await journal.close()
        #expect(notices.value.map(\.kind) == [.effectFailed])
        let message = try #require(notices.value.first?.error.message)
        #expect(
            notices.value.first?.error.advice.contains("let the effect's `onFailure` return an action that can be")
                == true)
        let start = "The effect 'mail' (1.0) has failed: Lost(); the action of its `onFailure` cannot be stored: "
        #expect(message.hasPrefix(start), "\(message)")
        #expect(message.contains("cannot be encoded"), "\(message)")
    }

    @Test func `a failure whose record is written by the close is reported then`() async throws {
        struct Lost: Error {}
        let notices = Box<[Notice]>([])
        let journal = try Journal.inMemory(
            options: changed(Journal.Options()) {
                $0.report = { notice in notices.change { $0.append(notice) } }
                // No deferred write has a transaction of its own.
                $0.idleDelay = .seconds(3_600)
            })
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { _, _, _ in
            .run("mail", restart: .cancel) { throw Lost() }
        }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(1).completion()
        try await store.close()
        #expect(notices.value.map(\.kind) == [.effectFailed])
        try await journal.close()
    }

    // MARK: Released stores

    @Test func `releasing a store with running effects is reported`() async throws {
        let folder = try TemporaryFolder()
        let (notices, reported) = (Box<[Notice]>([]), Signal())
        let journal = try openJournal(folder.path("a.db")) { options in
            options.report = { notice in
                notices.change { $0.append(notice) }
                reported.send()
            }
        }
        let (idle, busy) = ("idle", "busy")
        for name in [idle, busy] {
            let store = try await journal.openPlay(name) { effect in
                .run(effect) {
                    try await forever()
                    return nil
                }
            }
            if name == busy { for effect in ["pay", "ship"] { try await store.dispatch(.start(effect)) } }
        }
        await reported.wait()
        let notice = try #require(notices.value.first)
        #expect(notice.kind == .storeReleased)
        #expect(notice.error.stream == busy)
        #expect(notice.error.message.hasSuffix("which stops its effects: 'pay', 'ship'."))
        try await journal.close()
        #expect(notices.value.count == 1)
    }

    // MARK: Where notices go

    #if DEBUG
        @Test func `debug builds print notices on stderr`() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let machine = Machine<Play, Int, Void>("m", initialState: 0) { _, state, _ in
                    state = Int.random(in: 0...Int.max)
                    return .none
                }
                let journal = try Journal.inMemory()
                try await journal.open(machine, stream: "order-17").dispatch(.draw)
                try await journal.close()
            }
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("JournalStore: impure-reducer: "))
            #expect(text.contains("order-17"))
        }
    #endif
}
