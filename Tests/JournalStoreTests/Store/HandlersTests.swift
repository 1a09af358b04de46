import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Handlers of described effects`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private static let waits: Performing = { chore, context in
        if !context.isResumed { try await forever() }
        return .ended("\(chore)")
    }

    // MARK: Missing

    @Test func `a described effect without a handler fails, and the error tells what to write`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openChores(clock: clock, perform: nil)
        let dispatched = try await store.dispatch(.start("hall"))
        await dispatched.completion()
        #expect(
            dispatched.errors.map { "\($0)" } == [
                "There is no handler for JournalStoreTests.Chore. Add `.handling(JournalStoreTests.Chore.self) { … }` to the reducer."
            ])
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.failed])
        try await journal.close()
    }

    @Test func `if the effect has a scope, the error tells where to add the handler`() async throws {
        let journal = try openJournal(path, clock)
        let scoped = play.reducer.contramap(action: { (play: Play) in play }, embed: { $0 }, scope: "left")
        let reducer = scoped.contramap(action: { (play: Play) in play }, embed: { $0 }, scope: "house")
            .handling(Chore.self) { chore, _, _ in .ended("\(chore)") }
        let store = try await journal.open(
            Machine("play", initialState: Score(), reducer: reducer), stream: "a",
            environment: Stage(effects: { .perform(Chore.sweep($0)) }), clock: clock)
        let dispatched = try await store.dispatch(.start("hall"))
        await dispatched.completion()
        #expect(
            dispatched.errors.map { "\($0)" } == [
                "There is no handler for JournalStoreTests.Chore in the scope 'house.left'. Add `.handling(JournalStoreTests.Chore.self) { … }` to the reducer that returns it, before `contramap` gives it the scope."
            ])
        try await journal.close()
    }

    @Test(arguments: [false, true]) func `a handler of a reducer that a closure calls is reported`(
        _ isCalled: Bool
    ) async throws {
        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) {
            $0.wallClock = clock.wallClock
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        let handled = play.reducer.handling(Chore.self) { chore, _, _ in .ended("\(chore)") }
        let calling = Reducer<Play, Score, Stage> { action, score, stage, step in
            handled.reduce(action, &score, stage, &step)
        }
        let store = try await journal.open(
            Machine("play", initialState: Score(), reducer: isCalled ? calling : handled), stream: "a",
            environment: Stage(effects: { .perform(Chore.sweep($0)) }), clock: clock)
        let dispatched = try await store.dispatch(.start("hall"))
        await dispatched.completion()
        #expect(dispatched.errors.isEmpty)
        #expect(notices.value.map(\.kind) == (isCalled ? [.unreachableHandler] : []))
        #expect(notices.value.allSatisfy { $0.error.step == 1 })
        try await journal.close()
    }

    @Test func `a described effect whose handler is gone is orphaned and checked again at each opening`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await journal.openChores(clock: clock, perform: Self.waits)
        try await store.dispatch(.start("hall"))
        try await store.flush()
        try await store.close()
        for _ in 1...2 {
            store = try await journal.openChores(clock: clock, perform: nil)
            #expect(store.recovery.orphaned.map(\.name) == ["sweep"])
            #expect(store.recovery.resumed == [])
            try await store.settles()
            #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.orphaned])
            try await store.close()
        }
        store = try await journal.openChores(clock: clock, perform: Self.waits)
        #expect(store.recovery.orphaned == [])
        try await store.says(#"sweep("hall")"#)
        try await journal.close()
    }

    @Test func `an orphan that never started starts when its handler is back, whatever its restart policy`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let effects: @Sendable (String) -> Effect<Play> = {
            .perform(Chore.sweep($0), delay: .seconds(60), restart: .cancel)
        }
        var store = try await journal.openChores(clock: clock, effects: effects, perform: Self.waits)
        try await store.dispatch(.start("hall"))
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects, perform: nil)
        try await store.settles()
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects) { chore, _ in .ended("\(chore)") }
        #expect(store.recovery.resumed.map(\.name) == ["sweep"])
        await clock.sleepers(1)
        #expect(clock.nextWake == .seconds(60))
        clock.move(by: .seconds(60))
        try await store.says(#"sweep("hall")"#)
        try await journal.close()
    }

    @Test func `an orphan can be cancelled by its ID`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await journal.openChores(clock: clock, perform: Self.waits)
        for name in ["a", "b", "c"] { try await store.dispatch(.start(name)) }
        try await store.close()
        store = try await journal.openChores(clock: clock, perform: nil)
        try await store.dispatch(.cancel("a"))
        try await store.cancel(ids: { $0?.as(String.self) == "c" })
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "a").map(\.status) == [.cancelled, .orphaned, .cancelled])
        try await journal.close()
    }

    // MARK: Duplicates

    @Test func `two handlers for the same type are refused, and nothing is opened`() async throws {
        let journal = try openJournal(path, clock)
        let once = play.reducer.handling(Chore.self) { _, _, _ in nil }
        let twice = Machine("play", initialState: Score(), reducer: once + once)
        let error = await journalError { try await journal.open(twice, stream: "a", environment: Stage()) }
        #expect(error?.code == .badArgument)
        #expect(error?.stream == "a")
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("There are two handlers for JournalStoreTests.Chore."))
        #expect(text.contains("Give each use of a reducer a scope"))
        let store = try await journal.openChores(clock: clock, perform: nil)
        try await store.dispatch(.add(1))
        try await journal.close()
    }

    // MARK: Scopes

    enum House: Codable, Sendable, Equatable { case left(Play), right(Play), sweepOff }
    struct Rooms: Codable, Sendable, Equatable { var left = Score(), right = Score() }

    private func openHouse(_ journal: Journal) async throws -> Store<House, Rooms> {
        let room = play.reducer.handling(Chore.self) { chore, _, context in
            if !context.isResumed { try await forever() }
            return .ended("\(chore)")
        }
        let left = CasePath<House, Play>(
            embed: { .left($0) }, extract: { if case .left(let action) = $0 { action } else { nil } })
        let right = CasePath<House, Play>(
            embed: { .right($0) }, extract: { if case .right(let action) = $0 { action } else { nil } })
        let reducer =
            room.contramap(action: left, state: \Rooms.left, environment: { (stage: Stage) in stage }, scope: "left")
            + room.contramap(
                action: right, state: \Rooms.right, environment: { (stage: Stage) in stage }, scope: "right")
            + Reducer<House, Rooms, Stage> { action, _, _ in
                action == .sweepOff ? Effect<House>.cancel(ids: String.self) { $0 == "hall" }.scoped("right") : .none
            }
        let stage = Stage(effects: { .perform(Chore.sweep($0), id: $0) })
        return try await journal.open(
            Machine("house", initialState: Rooms(), reducer: reducer), stream: "h", environment: stage, clock: clock)
    }

    @Test func `each scope of a reducer has its own handler, also after a restart`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await openHouse(journal)
        try await store.dispatch(contentsOf: [.left(.start("hall")), .right(.start("hall")), .left(.start("attic"))])
        try await store.flush()
        #expect(
            try Shell(path, readOnly: true)("SELECT name, described FROM effect_run WHERE step = 2") == [
                #"right.sweep|{"right.JournalStoreTests.Chore":{"sweep":{"_0":"hall"}}}"#
            ])
        try await store.close()
        store = try await openHouse(journal)
        let state = try await store.dispatch(.left(.add(0))) { $0.left.log.count == 2 && $0.right.log.count == 1 }
        #expect(Set(state.left.log) == [#"sweep("hall")"#, #"sweep("attic")"#])
        try await journal.close()
    }

    @Test(arguments: [false, true]) func `a condition on IDs applies to its own scope only, also after a restart`(
        _ isReopened: Bool
    ) async throws {
        let journal = try openJournal(path, clock)
        var store = try await openHouse(journal)
        try await store.dispatch(contentsOf: [
            .left(.start("hall")), .right(.start("hall")), .right(.start("attic")),
        ])
        if isReopened {
            try await store.flush()
            try await store.close()
            // A resumed body would send its action at once: none must start before the step that cancels it.
            try Shell(path).change("UPDATE effect_run SET status = 'asked'")
            store = try await openHouse(journal)
        }
        try await store.dispatch(.sweepOff)
        try await store.flush()
        let live = isReopened ? EffectRun.Status.asked : .running
        #expect(try journal.reader.effectRuns(in: "h").map(\.status) == [live, .cancelled, live])
        try await journal.close()
    }
}
