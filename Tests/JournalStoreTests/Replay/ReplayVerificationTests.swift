import JournalStore
import JournalTesting
import Testing
import TortureKit

@Suite struct `A verification by replay`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    private func report(
        of machine: Machine<Posting, Account, Void> = account, _ path: String? = nil
    ) throws -> ReplayReport {
        try Replayer(machine, reader: JournalReader(path: path ?? self.path), stream: "a").verify()
    }

    /// The account, with another rule for one kind of action.
    private func other(
        version: Int = 1, _ rule: @escaping @Sendable (Posting, inout Account) -> Effect<Posting>?
    ) -> Machine<Posting, Account, Void> {
        Machine("account", version: version, initialState: Account()) { action, state, environment, step in
            rule(action, &state) ?? postings(action, &state, environment, &step)
        }.unchanged(since: 1)
    }

    @Test func `a verification finds no divergence if the code is the same`() async throws {
        _ = try await liveAYear(times: 20) { $0.snapshots = SnapshotPolicy(everySteps: 50) }
        let report = try report()
        #expect(report.isFaithful)
        #expect((report.firstStep, report.lastStep) == (0, 202))
        #expect(report.snapshots == (try JournalReader(path: path).snapshotSteps(of: "a").count))
        #expect(report.snapshots > 2)
        // A rejection in the first year, a cascade in each year, the effects of `.ask`, and their run.
        #expect(report.records == 1 + 20 + 2)
        #expect(report.ofOlderCode.isEmpty)
    }

    @Test func `a verification finds a snapshot with another state, and the last good step before it`() async throws {
        _ = try await liveAYear(times: 3) { $0.snapshots = SnapshotPolicy(everySteps: 10) }
        let report = try report(
            of: other { action, state in
                guard action == .add(-20), state.lines.count > 8 else { return nil }
                state.balance -= 21
                return Effect.none
            })
        let steps = try JournalReader(path: path).snapshotSteps(of: "a")
        let divergence = try #require(report.divergence)
        #expect(divergence.kind == .snapshot)
        #expect(divergence.step == steps.first { $0 >= 27 })
        #expect(divergence.lastGood == steps.last { $0 < 27 })
        #expect(divergence.changes.map(\.path) == ["balance", "lines[11]"])
        #expect(divergence.description.contains("balance: -21 → -22"))
        #expect(divergence.description.contains("raise the machine's version"))
    }

    @Test func `a verification finds other outcomes, cascades and effects at their step`() async throws {
        _ = try await liveAYear()
        typealias Rule = @Sendable (Posting, inout Account) -> Effect<Posting>?
        let rules: [(Divergence.Kind, Int, String, Rule)] = [
            (
                .outcome, 3, "outcome: rejected: not open → reduced",
                { action, _ in action == .close ? Effect.none : nil }
            ),
            (
                .outcome, 1, "outcome: reduced → rejected: why not",
                { action, _ in action == .add(10) ? .reject("why not") : nil }
            ),
            (
                .cascade, 5, #"cascade[1]: {"add":{"_0":2}} → {"add":{"_0":3}}"#,
                { action, _ in
                    guard case .both(let first, let second) = action else { return nil }
                    return .next(.add(first)) + .next(.add(second + 1))
                }
            ),
            (
                .effects, 11,
                #"effects[0]: {"id":{"String":"question"},"run":"ask"} → {"run":"ask","id":{"String":"other"}}"#,
                { action, _ in
                    action == .ask ? .run("ask", id: "other") { nil } + .ephemeral("told") { _ in } : nil
                }
            ),
            (.effects, 11, "", { action, _ in action == .ask ? Effect.none : nil }),
        ]
        for (kind, step, line, rule) in rules {
            let divergence = try #require(try report(of: other(rule)).divergence)
            #expect(divergence.kind == kind)
            #expect(divergence.step == step)
            #expect(line.isEmpty || divergence.changes.first?.description == line)
        }
    }

    @Test func `a verification finds a run's record that was changed or deleted`() async throws {
        _ = try await liveAYear()
        for sql in ["UPDATE effect_run SET name = 'answer'", "DELETE FROM effect_run"] {
            try Shell(path).change(sql)
            let divergence = try #require(try report().divergence)
            #expect(divergence.kind == .record)
            #expect(divergence.step == 11)
            #expect(divergence.changes.first?.path == "run 0")
        }
    }

    @Test(arguments: [
        ("UPDATE effect_run SET ordinal = 2147483648", Divergence.Kind.record, 11),
        ("UPDATE step_record SET effects = 'garbage' WHERE step = 11", .effects, 11),
        ("UPDATE step_record SET effects = 'garbage' WHERE step = 5", .effects, 5),
        ("UPDATE step_record SET cascade = '{' WHERE step = 5", .cascade, 5),
        ("UPDATE step_record SET cascade = '{' WHERE step = 11", .cascade, 11),
    ])
    func `a verification reports invalid records`(sql: String, kind: Divergence.Kind, step: Int) async throws {
        _ = try await liveAYear()
        try Shell(path).change(sql)
        let divergence = try #require(try report().divergence)
        #expect((divergence.kind, divergence.step) == (kind, step))
    }

    @Test func `a verification ignores the skipped steps of its replayer`() async throws {
        _ = try await liveAYear { $0.snapshots = SnapshotPolicy() }
        let replayer = try Replayer(account, reader: JournalReader(path: path), stream: "a")
        #expect(try replayer.skipping(1).verify() == replayer.verify())
    }

    @Test func `a verification compares values and not bytes`() async throws {
        let journal = try openJournal(path) { $0.snapshots = .never }
        let store = try await journal.open(account, stream: "a")
        for label in ["a", "b", "c", "d"] { try await store.dispatch(.label(label)) }
        try await store.close()
        let stream = try await journal.openStream("a", machine: "account")
        for (index, order) in ["abcd", "dcba", "badc"].enumerated() {
            let labels = order.prefix(4).map { "\"\($0)\"" }.joined(separator: ", ")
            try await stream.saveSnapshot(
                """
                { "status" : {"new":{}}, "labels" : [\(labels)], "balance":0.0, "lines":[], "luck":[], "answers":[] }
                """, at: 4)
            #expect(try report().snapshots == 1, "\(index)")
            #expect(try report().divergence == nil)
        }
        try await journal.close()
    }

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
        enum Before: Codable, Sendable, Equatable { case start, ring }
        enum After: Codable, Sendable, Equatable { case start }
        let old = Machine<Before, Int, Void>("clock", initialState: 0) { action, count, _ in
            count += 1
            return action == .start ? .after(.seconds(3_600), .ring, name: "ring") : .none
        }
        let new = Machine<After, Int, Void>("clock", version: 2, initialState: 0) { count, _ in count += 1 }
            .unchanged(since: 1)
        let deaths = try Deaths()
        let journal = try deaths.open()
        let store = try await journal.open(old, stream: "a", clock: deaths.clock)
        try await store.dispatch(.start)
        try await store.flush()
        try deaths.kill()
        try await journal.close()

        try await expectSameError(of: new, deaths, step: 1)
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

    @Test func `a verification reports what differs before a newer version's base, but does not fail`() async throws {
        _ = try await liveAYear { $0.snapshots = SnapshotPolicy() }
        let newer = other(version: 2) { action, state in
            guard case .add(let amount) = action else { return action == .close ? Effect.none : nil }
            state.balance += 2 * amount
            return Effect.none
        }
        var journal = try openJournal(path)
        var store = try await journal.open(newer, stream: "a")
        try await store.dispatch(.add(1))
        try await journal.close()
        let report = try report(of: newer)
        #expect(report.isFaithful)
        #expect(report.ofOlderCode.map(\.kind) == [.outcome, .snapshot])
        #expect(report.ofOlderCode.map(\.step) == [3, 12])
        journal = try openJournal(path)
        store = try await journal.open(newer, stream: "a")
        #expect(store.state.balance == -7 + 2)
        try await journal.close()
    }

    @Test func `a verification finds a state that a restart changes`() async throws {
        struct Leaky: Codable, Sendable, Equatable {
            var total = 0
            /// Not stored.
            var last = 0
            enum CodingKeys: CodingKey { case total }
            static func == (left: Leaky, right: Leaky) -> Bool { left.total == right.total }
        }
        let leaky = Machine<Int, Leaky, Void>("leaky", initialState: Leaky()) { state, action in
            state.total += state.last
            state.last = action
        }
        let journal = try openJournal(path) { $0.snapshots = .never }
        let store = try await journal.open(leaky, stream: "a")
        for number in 1...4 { try await store.dispatch(number) }
        try await store.close()
        let stream = try await journal.openStream("a", machine: "leaky")
        try await stream.saveSnapshot(#"{"total":3}"#, at: 3)
        let divergence = try #require(try Replayer(leaky, reader: journal.reader, stream: "a").verify().divergence)
        #expect(divergence.kind == .restart)
        #expect((divergence.step, divergence.lastGood) == (4, 3))
        #expect(divergence.changes.map(\.description) == ["total: 6 → 3"])
        try await journal.close()
    }

    @Test func `a snapshot that cannot be decoded is a divergence only if it has the current version`() async throws {
        _ = try await liveAYear { $0.snapshots = SnapshotPolicy(everySteps: 4) }
        try Shell(path).change("UPDATE snapshot SET state = '{}' WHERE step = (SELECT min(step) FROM snapshot)")
        let step = try JournalReader(path: path).snapshotSteps(of: "a")[0]
        let older = try report(of: other(version: 2) { _, _ in nil })
        #expect(older.isFaithful)
        #expect(older.unreadableSnapshots == [step])
        let divergence = try #require(try report().divergence)
        #expect((divergence.kind, divergence.step) == (.snapshot, step))
        #expect(divergence.changes.first?.old == "(cannot be decoded)")
    }

    @Test func `a stream is not faithful if the snapshot with which an opening would begin cannot be decoded`()
        async throws
    {
        _ = try await liveAYear { $0.snapshots = SnapshotPolicy(everySteps: 4) }
        let steps = try JournalReader(path: path).snapshotSteps(of: "a")
        try #require(steps.count > 1)
        let newer = other(version: 2) { _, _ in nil }
        try Shell(path).change("UPDATE snapshot SET state = '{}' WHERE step = (SELECT max(step) FROM snapshot)")
        let newest = try report(of: newer)
        #expect(!newest.isFaithful)
        #expect(newest.divergence == nil)
        #expect(newest.unreadableStart?.step == steps.last)
        #expect(newest.unreadableStart?.message.hasPrefix("The state of version 1 cannot be decoded") == true)
        #expect(newest.unreadableStart?.advice.contains("`upcasting(statesFrom: 1)`") == true)
        #expect(newest.olderSteps == newest.lastStep - steps[steps.count - 2])
        try Shell(path).change("UPDATE snapshot SET state = '{}'")
        let all = try report(of: newer)
        #expect(all.unreadableStart?.step == steps.last)
        #expect(all.olderSteps == all.lastStep)
    }

    @Test func `a verification by newer code does not fail for older code's steps, even without a base`() async throws {
        _ = try await liveAYear { $0.snapshots = SnapshotPolicy(everySteps: 4) }
        let newer = other(version: 2) { action, state in
            guard case .add(let amount) = action else { return action == .close ? Effect.none : nil }
            state.balance += 2 * amount
            return Effect.none
        }
        let report = try report(of: newer)
        #expect(report.isFaithful)
        #expect(Set(report.ofOlderCode.map(\.kind)) == [.outcome, .snapshot])
    }

    /// Version 1 counts twice what is added.
    private func tally(
        _ version: Int, refuses: @escaping @Sendable (_ sum: Int, _ number: Int) -> Bool = { _, _ in false }
    ) -> Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("tally", version: version, initialState: 0) { number, sum, _ in
            if refuses(sum, number) { return .reject("refused") }
            sum += version == 1 && number > 0 ? 2 * number : number
            return .none
        }
        .unchanged(since: 1)
    }

    /// The stored state after three steps is 6, where later versions compute 3. No snapshot follows step 4.
    @Test(arguments: [false, true])
    func `the steps after the newest snapshot are reduced from its state, as an opening reduces them`(
        isDifferent: Bool
    ) async throws {
        let deaths = try Deaths()
        var journal = try deaths.open()
        let first = try await journal.open(tally(1), stream: "a")
        for _ in 0..<3 { try await first.dispatch(1) }
        try await first.close()
        let again = try await journal.open(tally(1), stream: "a")
        try await again.dispatch(-5)
        #expect(again.state == 1)
        try await again.flush()
        try deaths.kill()
        try await journal.close()
        let reader = try JournalReader(path: deaths.path)
        try #require(try reader.stream("a").settledStep == 4)

        // 6 - 5 is refused and 3 - 5 is not, or the other way round.
        let newer = tally(2) { sum, number in isDifferent ? number < 0 && sum > 4 : sum + number < 0 }
        let report = try Replayer(newer, reader: reader, stream: "a").verify()
        let change = report.divergence?.changes.first?.description
        #expect(change == (isDifferent ? "outcome: reduced → rejected: refused" : nil))
        #expect(report.divergence?.isReducedAgain == (isDifferent ? true : nil))
        #expect(report.ofOlderCode.map(\.kind) == [.snapshot])
        #expect(report.ofOlderCode.map(\.step) == [3])
        #expect(report.olderSteps == 1)
        // The opening does what the verification says.
        journal = try deaths.open()
        #expect(try await journal.open(newer, stream: "a").state == (isDifferent ? 6 : 1))
        try await journal.close()
    }

    @Test func `a verification leaves out the steps that an operator skipped`() async throws {
        _ = try await liveAYear()
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "account")
        try await stream.append(#"{"add":{"_0":1000}}"#)
        try await stream.close()
        try await journal.skip(13, in: "a")
        try await journal.close()
        #expect(try report().isFaithful)
        #expect(try Replayer(account, reader: JournalReader(path: path), stream: "a").step(13).isSkipped)
    }

    @Test(arguments: [(0, 1), (0, 2), (1, 2), (1, 3), (5, 9)])
    func `a divergence says up to which step everything is the same, if that is not the step before`(
        _ lastGood: Int, _ step: Int
    ) {
        let divergence = Divergence(kind: .outcome, step: step, lastGood: lastGood, action: nil, changes: [])
        let says = divergence.description.contains("up to step \(lastGood).")
        #expect(says == (lastGood > 0 && lastGood < step - 1))
    }
}
