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
        #expect(report.snapshots == (try JournalReader(path: path).snapshotSteps(in: "a").count))
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
        let steps = try JournalReader(path: path).snapshotSteps(in: "a")
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
                #"effects[0]: {"id":{"String":"question"},"run":"ask"} → {"id":{"String":"other"},"run":"ask"}"#,
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
        let step = try JournalReader(path: path).snapshotSteps(in: "a")[0]
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
        let steps = try JournalReader(path: path).snapshotSteps(in: "a")
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

    private enum First: Codable, Sendable, Equatable { case twice(Int), add(Int) }
    private enum Second: Codable, Sendable, Equatable { case twice(Int), plus(Int) }
    private enum Third: Codable, Sendable, Equatable { case twice(Int), sum(Int) }

    /// A process that ends early leaves a step to the next opening, which can be one of a newer version.
    @Test func `a verification reads a cascade as the version wrote it that settled the step`() async throws {
        let second = Machine<Second, Int, Void>("tally", version: 2, initialState: 0) { action, sum, _ in
            switch action {
            case .twice(let number): return .next(.plus(number)) + .next(.plus(number))
            case .plus(let number): sum += number
            }
            return .none
        }
        .renamingAction("add", to: "plus", from: 1)
        let third = Machine<Third, Int, Void>("tally", version: 3, initialState: 0) { action, sum, _ in
            switch action {
            case .twice(let number): return .next(.sum(number)) + .next(.sum(number))
            case .sum(let number): sum += number
            }
            return .none
        }
        .upcasting(actionsFrom: 1) { (old: First) -> Second in
            switch old {
            case .twice(let number): .twice(number)
            case .add(let number): .plus(number)
            }
        }
        .renamingAction("plus", to: "sum", from: 2)
        let journal = try openJournal(path)
        let stream = try await journal.openStream("a", machine: "tally")
        try await stream.append(#"{"twice":{"_0":2}}"#)
        try await stream.close()
        let store = try await journal.open(second, stream: "a")
        #expect(store.state == 4)
        try await journal.close()
        let report = try Replayer(third, reader: JournalReader(path: path), stream: "a").verify()
        #expect(report.isFaithful)
        #expect(report.ofOlderCode.isEmpty)
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
