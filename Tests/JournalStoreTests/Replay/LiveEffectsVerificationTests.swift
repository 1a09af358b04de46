import JournalStore
import JournalTesting
import Testing
import TortureKit

@Suite struct `A verification of live effects`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    @Test func `a verification names the live effects that the code does not return any more`() async throws {
        func runs(_ version: Int) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("runs", version: version, initialState: 0) { action, count, _ in
                count += action
                let waiting = { @Sendable (id: Int) in
                    Effect<Int>.run("wait", id: id) {
                        try await forever()
                        return nil
                    }
                }
                return version == 1 ? waiting(1) + waiting(2) + .after(.seconds(3_600), 1, name: "remind") : waiting(2)
            }
            .unchanged(since: 1)
        }
        let journal = try openJournal(path)
        let store = try await journal.open(runs(1), stream: "runs")
        try await store.dispatch(1)
        try await store.flush()
        for (version, orphans) in [(1, []), (2, ["wait"])] as [(Int, [String])] {
            let report = try Replayer(runs(version), reader: journal.reader, stream: "runs").verify()
            #expect(report.isFaithful)
            #expect(report.orphans.map(\.name) == orphans)
            #expect(report.orphans.allSatisfy { $0.step == 1 })
        }
        try await journal.close()
    }

    /// The effect depends on a sum that version 1 counts twice.
    @Test(arguments: [false, true])
    func `a live effect is looked for from the state that an opening has at its step`(isClosed: Bool) async throws {
        func watching(_ version: Int) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("watching", version: version, initialState: 0) { number, sum, _ in
                sum += version == 1 ? 2 * number : number
                guard number == 0, sum > 4 else { return .none }
                return Effect<Int>.run("watch") {
                    try await forever()
                    return nil
                }
            }
            .unchanged(since: 1)
        }
        let deaths = try Deaths()
        var journal = try deaths.open()
        let first = try await journal.open(watching(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        let again = try await journal.open(watching(1), stream: "a")
        try await again.dispatch(0)
        // Then a snapshot follows the step.
        if isClosed { try await again.close() } else { try await again.flush() }
        try deaths.kill()
        try await journal.close()

        let report = try Replayer(watching(2), reader: JournalReader(path: deaths.path), stream: "a").verify()
        #expect(report.isFaithful)
        #expect(report.orphans == [])
        journal = try deaths.open()
        let store = try await journal.open(watching(2), stream: "a")
        #expect(store.recovery.orphaned.isEmpty)
        #expect(store.recovery.resumed.map(\.name) == ["watch"])
        try await journal.close()
    }

    /// What another version of the code does not return any more.
    enum Loss: CaseIterable {
        case initialEffect
        /// A described effect has its name.
        case closure
        case oneOfTwins
        /// The effect of a step that pruning has kept.
        case effectOfOldStep

        fileprivate func machine(_ version: Int) -> Machine<Play, Score, Stage> {
            var machine = Machine("play", version: version, initialState: Score(), reducer: play.reducer)
                .unchanged(since: 1)
            if self == .initialEffect, version == 1 { machine.initialEffect = Self.waiting("listen") }
            return machine
        }

        fileprivate func stage(_ version: Int) -> Stage {
            let effect: Effect<Play>
            switch self {
            case .initialEffect: effect = .none
            case .closure: effect = version == 1 ? Self.waiting("wash") : .perform(Chore.wash, name: "wash")
            case .oneOfTwins:
                effect = version == 1 ? Self.waiting("mail") + Self.waiting("mail") : Self.waiting("mail")
            case .effectOfOldStep: effect = version == 1 ? Self.waiting("mail") : .none
            }
            return Stage(effects: { _ in effect })
        }

        private static func waiting(_ name: String) -> Effect<Play> {
            .run(name) {
                try await forever()
                return nil
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `a verification names the effects that an opening makes orphans`(_ loss: Loss) async throws {
        let deaths = try Deaths()
        func open(_ journal: Journal, _ version: Int) async throws -> Store<Play, Score> {
            try await journal.open(
                loss.machine(version), stream: "a", environment: loss.stage(version), clock: deaths.clock)
        }
        var journal = try deaths.open()
        var store = try await open(journal, 1)
        try await store.dispatch(.start("one"))
        try await store.dispatch(.add(1))
        if loss == .effectOfOldStep {
            try await store.close()
            store = try await open(journal, 1)
            try await store.dispatch(.add(1))
            try await store.close()
            #expect(try await journal.prune("a", before: 3).keptEntries == 1)
        } else {
            try await store.flush()
        }
        try deaths.kill()
        try await journal.close()

        let replayer = try Replayer(
            loss.machine(2), environment: loss.stage(2), reader: JournalReader(path: deaths.path), stream: "a")
        let orphans = try replayer.verify().orphans
        journal = try deaths.open()
        store = try await open(journal, 2)
        let orphaned = store.recovery.orphaned
        #expect(orphaned.count == 1)
        #expect(orphans.map(\.name) == orphaned.map(\.name))
        #expect(orphans.map(\.step) == orphaned.map(\.step))
        try await journal.close()
    }

    /// The new version does not know the action that a timer sends.
    @Test func `a verification fails with the error of the opening if a live effect cannot be decoded`() async throws {
        let deaths = try Deaths()
        let journal = try deaths.open()
        let store = try await journal.open(RingingClock.old, stream: "a", clock: deaths.clock)
        try await store.dispatch(.start)
        try await store.flush()
        try deaths.kill()
        try await journal.close()

        try await expectSameError(of: RingingClock.new, deaths, step: 1)
    }

    /// The new version does not know the first action, which pruning has kept for the effect of the second.
    @Test func `a verification reads the entries that pruning has kept for a live effect`() async throws {
        enum Before: Codable, Sendable, Equatable { case gone, start, add }
        enum After: Codable, Sendable, Equatable { case start, add }
        let old = Machine<Before, Int, Void>("mail", initialState: 0) { action, count, _ in
            count += 1
            guard action == .start else { return .none }
            return Effect<Before>.run("mail") {
                try await forever()
                return nil
            }
        }
        let new = Machine<After, Int, Void>("mail", version: 2, initialState: 0) { count, _ in count += 1 }
            .unchanged(since: 1)
        let deaths = try Deaths()
        let journal = try deaths.open()
        var store = try await journal.open(old, stream: "a")
        for action: Before in [.gone, .start, .add] { try await store.dispatch(action) }
        try await store.close()
        store = try await journal.open(old, stream: "a")
        try await store.dispatch(.add)
        try await store.close()
        #expect(try await journal.prune("a", before: 4).keptEntries == 2)
        try deaths.kill()
        try await journal.close()

        try await expectSameError(of: new, deaths, step: 1)
    }

    private func expectSameError<Action: Codable & Sendable>(
        of machine: Machine<Action, Int, Void>, _ deaths: Deaths, step: Int
    ) async throws {
        let reader = try JournalReader(path: deaths.path)
        let replayer = try Replayer(machine, reader: reader, stream: "a")
        let verified = await journalError { try replayer.verify() }
        let journal = try deaths.open()
        let opened = await journalError { try await journal.open(machine, stream: "a") }
        #expect(verified?.code == .notDecodable)
        #expect(verified?.step == step)
        #expect(verified?.message == opened?.message)
        #expect(verified?.step == opened?.step)
        try await journal.close()
    }
}
