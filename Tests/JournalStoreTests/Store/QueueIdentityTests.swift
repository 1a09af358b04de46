import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Opens a machine whose effects never end by themselves. The name of a start says which effect it returns: `closure a
/// 2` or `described a 2` is the effect `a` in a lane with this maximum, `update 2` updates the lane, `stop a` cancels
/// by ID. A number after the maximum is the lane's delay in seconds. Two instances of a lane or a ticket never have the
/// same JSON.
struct LaneStage: Sendable {
    private let notes = Box(0)
    /// Added to the maximum of each effect's lane, as by a new version of the code.
    let raise = Box(0)

    func open(_ journal: Journal, _ clock: ManualClock) async throws -> Store<Play, Score> {
        try await journal.openChores(clock: clock, effects: effect) { _, _ in
            try await forever()
            return nil
        }
    }

    private func note() -> Int {
        notes.change { notes in
            notes += 1
            return notes
        }
    }

    func ticket(_ name: String) -> Ticket { Ticket(name: name, note: note()) }

    private func lane(_ words: some Collection<Substring>, raise: Int = 0) -> Lane {
        var lane = Lane(note: note())
        let numbers = words.compactMap { Int($0) }
        if let count = numbers.first { lane.maxCount = count + raise }
        if numbers.count > 1 { lane.delay = numbers[1] }
        if let kind = words.compactMap({ Lane.Kind(rawValue: String($0)) }).first { lane.kind = kind }
        return lane
    }

    private func effect(_ name: String) -> Effect<Play> {
        let words = name.split(separator: " ")
        switch words[0] {
        case "update": return .updateQueue(lane(words.dropFirst()))
        case "stop": return .cancel(id: ticket(String(words[1])))
        case "timer": return .after(.seconds(3600), .ended(name), id: ticket(String(words[1])))
        case "closure":
            let id = String(words[1])
            return .run(id, id: id, queue: lane(words.dropFirst(2), raise: raise.value)) {
                try await forever()
                return nil
            }
        default:
            let id = String(words[1])
            return .perform(Chore.sweep(id), id: ticket(id), queue: lane(words.dropFirst(2), raise: raise.value))
        }
    }
}

@Suite struct `Queues and IDs after a restart`: AtDesk {
    let desk: Desk
    private let stage = LaneStage()

    init() throws { desk = try Desk() }

    /// Dispatches the starts, then closes and opens the store.
    private func open(_ journal: Journal, after starts: String...) async throws -> Store<Play, Score> {
        let store = try await stage.open(journal, clock)
        for name in starts { try await store.dispatch(.start(name)) }
        try await store.close()
        return try await stage.open(journal, clock)
    }

    private func statuses(_ store: Store<Play, Score>) async throws -> [String] {
        try await store.flush()
        return try sql("SELECT status FROM effect_run ORDER BY step")
    }

    // MARK: One identity

    @Test func `effects of equal queues share one stored queue, whatever JSON the instances have`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, after: "described a 1", "described b 1")
        #expect(try await statuses(store) == ["running", "waiting"])
        for name in ["described c 1", "closure d 1"] { try await store.dispatch(.start(name)) }
        #expect(try await statuses(store) == ["running", "waiting", "waiting", "waiting"])
        #expect(try sql("SELECT count(DISTINCT queue) FROM effect_run") == ["1"])
        #expect(try sql("SELECT key = (SELECT queue FROM effect_run WHERE step = 1) FROM effect_queue") == ["1"])
        #expect(try await journal.verify().isSound)
        try await store.close()
        let again = try await stage.open(journal, clock)
        #expect(try await statuses(again) == ["running", "waiting", "waiting", "waiting"])
        try await journal.close()
    }

    @Test func `the record of a step keeps the JSON of its own instance, which a replay makes again`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await stage.open(journal, clock)
        for name in ["described a 1", "described b 1"] { try await store.dispatch(.start(name)) }
        try await store.flush()
        #expect(try sql("SELECT count(DISTINCT json_extract(effects, '$[0].queue')) FROM step_record") == ["2"])
        try await journal.close()
    }

    @Test func `verification finds a described effect whose queue is not recorded, as the opening does`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await stage.open(journal, clock)
        try await store.dispatch(.start("described a 1"))
        try await store.close()
        #expect(try await journal.verify().isSound)
        try Shell(path).change("DELETE FROM effect_queue")
        #expect(try await !journal.verify().isSound)
        let error = await journalError { try await stage.open(journal, clock) }
        #expect(error?.code == .notDecodable)
        try await journal.close()
    }

    // MARK: The rule

    @Test(arguments: ["closure", "described"])
    func `a rule that updateQueue has set survives a restart, larger or smaller`(_ kind: String) async throws {
        let journal = try openJournal(path, clock)
        let starts = ["a", "b", "c", "d"].map { "\(kind) \($0) 2" }
        var store = try await open(journal, after: starts[0], starts[1], starts[2], starts[3], "update 3")
        #expect(try await statuses(store) == ["running", "running", "running", "waiting"])
        try await store.dispatch(.start("update 1"))
        try await store.close()
        store = try await stage.open(journal, clock)
        for key in [1, 2] { try await store.cancel(RunKey(step: key)) }
        #expect(try await statuses(store) == ["cancelled", "cancelled", "running", "waiting"])
        #expect(try sql("SELECT json_extract(policy, '$.maxCount') FROM effect_queue") == ["1"])
        try await journal.close()
    }

    @Test(arguments: ["closure", "described"])
    func `an update to the rule that the queue has counts against the older instances of later code`(
        _ kind: String
    ) async throws {
        let journal = try openJournal(path, clock)
        var store = try await open(journal, after: "\(kind) a 1", "\(kind) b 1", "\(kind) c 1", "update 1")
        try await store.close()
        stage.raise.change { $0 = 1 }
        store = try await stage.open(journal, clock)
        #expect(try await statuses(store) == ["running", "waiting", "waiting"])
        try await store.dispatch(.start("\(kind) d 1"))
        #expect(try await statuses(store) == ["running", "running", "waiting", "waiting"])
        try await journal.close()
    }

    @Test(arguments: ["closure", "described"])
    func `a delay that updateQueue has set survives a restart`(_ kind: String) async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, after: "\(kind) a 3 60", "\(kind) b 3 60", "update 3 10")
        #expect(try await statuses(store) == ["running", "delayed"])
        clock.move(by: .seconds(9))
        try await store.cancel(id: "nothing")
        #expect(try await statuses(store) == ["running", "delayed"])
        clock.move(by: .seconds(1))
        try await store.cancel(id: "nothing")
        #expect(try await statuses(store) == ["running", "running"])
        try await journal.close()
    }

    @Test func `a delay that updateQueue removes after a restart holds back no restored effect`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, after: "described a 3 60", "described b 3 60")
        #expect(try await statuses(store) == ["running", "delayed"])
        try await store.dispatch(.start("update 3"))
        #expect(try await statuses(store) == ["running", "running"])
        try await journal.close()
    }

    @Test func `after a restart an effect whose own delay is over waits only for its queue`() async throws {
        let journal = try openJournal(path, clock)
        func begin() async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                let lane = Lane(maxCount: 3, delay: name == "update" ? 5 : 30)
                if name == "update" { return .updateQueue(lane) }
                return .run(name, id: name, queue: lane, delay: name == "b" ? .seconds(10) : .zero) {
                    try await forever()
                    return nil
                }
            }
        }
        var store = try await begin()
        for name in ["a", "b"] { try await store.dispatch(.start(name)) }
        clock.move(by: .seconds(11))
        try await store.cancel(id: "nothing")
        try await store.close()
        clock.move(by: .seconds(1))
        store = try await begin()
        #expect(try await statuses(store) == ["running", "delayed"])
        try await store.dispatch(.start("update"))
        #expect(try await statuses(store) == ["running", "running"])
        try await journal.close()
    }

    @Test func `updateQueue changes the queue of restored described effects`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, after: "described a 1", "described b 1", "described c 1")
        try await store.dispatch(.start("update 2"))
        #expect(try await statuses(store) == ["running", "running", "waiting"])
        #expect(try sql("SELECT count(*) FROM effect_queue") == ["1"])
        try await journal.close()
    }

    @Test func `the rule of the newest effect survives a restart after that effect has ended`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await stage.open(journal, clock)
        for name in ["closure a 1", "closure b 1", "closure c 1", "closure d 3"] {
            try await store.dispatch(.start(name))
        }
        try await store.cancel(RunKey(step: 4))
        #expect(try await statuses(store) == ["running", "running", "running", "cancelled"])
        try await store.close()
        store = try await stage.open(journal, clock)
        try await store.cancel(RunKey(step: 1))
        try await store.dispatch(.start("update 3"))
        #expect(try sql("SELECT policy FROM effect_queue") == [#"{"maxCount":3,"policy":"suspendNew","since":[4,0]}"#])
        try await journal.close()
    }

    @Test func `a rule that the code has changed is followed, unless an update was newer`() async throws {
        let journal = try openJournal(path, clock)
        var store = try await stage.open(journal, clock)
        for name in ["closure a 1", "closure b 1", "closure c 1"] { try await store.dispatch(.start(name)) }
        // The newest effect is gone: the others of the same rule show that the code has changed.
        try await store.cancel(RunKey(step: 3))
        try await store.dispatch(.start("closure d 1"))
        #expect(try await statuses(store) == ["running", "waiting", "cancelled", "waiting"])
        try await store.close()
        stage.raise.change { $0 = 1 }
        store = try await stage.open(journal, clock)
        #expect(try await statuses(store) == ["running", "running", "cancelled", "waiting"])
        try await store.dispatch(.start("update 1"))
        try await store.close()
        stage.raise.change { $0 = 5 }
        store = try await stage.open(journal, clock)
        #expect(try await statuses(store) == ["running", "running", "cancelled", "waiting"])
        try await journal.close()
    }

    @Test func `described effects follow a rule that the code has changed when a new effect brings it`() async throws {
        let journal = try openJournal(path, clock)
        stage.raise.change { $0 = 0 }
        let store = try await open(journal, after: "described a 1", "described b 1", "described c 1")
        #expect(try await statuses(store) == ["running", "waiting", "waiting"])
        stage.raise.change { $0 = 1 }
        try await store.dispatch(.start("described d 1"))
        #expect(try await statuses(store) == ["running", "running", "waiting", "waiting"])
        try await journal.close()
    }

    @Test func `a fork before an update has the rule of the effects that it restores`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await stage.open(journal, clock)
        for name in ["closure a 1", "closure b 1", "update 2"] { try await store.dispatch(.start(name)) }
        try await store.flush()
        let path = folder.path("fork.db")
        try await journal.reader.fork("a", at: 2, to: path)
        try await journal.close()
        let fork = try openJournal(path, clock)
        let forked = try await stage.open(fork, clock)
        for step in 1...2 { try await forked.release(RunKey(step: step)) }
        try await forked.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step", path) == ["running", "waiting"])
        try await fork.close()
    }

    // MARK: IDs

    @Test(arguments: ["described", "timer"], [false, true])
    func `an equal ID with other JSON cancels a restored effect`(_ kind: String, _ byReducer: Bool) async throws {
        let journal = try openJournal(path, clock)
        let store = try await open(journal, after: "\(kind) a 2", "\(kind) b 2")
        if byReducer {
            try await store.dispatch(.start("stop a"))
        } else {
            try await store.cancel(id: stage.ticket("a"))
        }
        #expect(try await statuses(store).map { $0 == "cancelled" } == [true, false])
        try await journal.close()
    }

    @Test(arguments: [false, true], [false, true])
    func `an equal ID with other JSON cancels what a dispatch led to`(_ isRestarted: Bool, _ byReducer: Bool)
        async throws
    {
        let journal = try openJournal(path, clock)
        var store = try await stage.open(journal, clock)
        for name in ["x", "y"] {
            for kind in ["closure", "described"] {
                try await store.dispatch(.start("\(kind) a 9"), cancelID: stage.ticket(name))
            }
        }
        if isRestarted {
            try await store.close()
            store = try await stage.open(journal, clock)
        }
        if byReducer {
            try await store.dispatch(.start("stop x"))
        } else {
            try await store.cancel(id: stage.ticket("x"))
        }
        #expect(try await statuses(store) == ["cancelled", "cancelled", "running", "running"])
        try await journal.close()
    }

    // MARK: Priorities

    @Test(arguments: [false, true])
    func `effects keep the priority of their dispatch after a restart, and so do those they lead to`(
        _ isDescribed: Bool
    ) async throws {
        let journal = try openJournal(path, clock)
        let seen = Box<[TaskPriority]>([])
        let body: @Sendable (EffectContext) async throws -> Play? = { context in
            seen.change { $0.append(Task.currentPriority) }
            if !context.isResumed { try await forever() }
            return .start("after")
        }
        let effects: @Sendable (String) -> Effect<Play> = { name in
            if name == "after" {
                return .run(name) {
                    seen.change { $0.append(Task.currentPriority) }
                    return .ended(name)
                }
            }
            return isDescribed ? .perform(Chore.sweep(name)) : .run(name) { try await body($0) }
        }
        var store = try await journal.openChores(clock: clock, effects: effects) { try await body($1) }
        try await store.dispatch(.start("hall"), priority: .low)
        while seen.value.isEmpty { try await store.settles() }
        try await store.close()
        store = try await journal.openChores(clock: clock, effects: effects) { try await body($1) }
        try await store.says("after")
        #expect(seen.value == [.low, .low, .low])
        try await journal.close()
    }
}
