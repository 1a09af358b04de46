import JournalTesting
import Testing

@testable import JournalStore

@Suite struct `Look-alike effects after a restart` {
    let deaths: Deaths
    let started = Box<[String]>([])
    let door = Door()

    init() throws { deaths = try Deaths() }

    @Test(arguments: [(2, 1), (1, 2), (3, 2)])
    func `no closure is used for two runs if the code returns fewer or more that look the same`(
        _ before: Int, _ now: Int
    ) async throws {
        let count = Box(before)
        let twins: @Sendable (String) -> Effect<Play> = { [count, started, door] _ in
            .combine(
                (0..<count.value).map { number in
                    .run("twin") {
                        started.change { $0.append("\(number)") }
                        await door.pass()
                        return .ended("\(number)")
                    }
                })
        }
        var journal = try deaths.open()
        let first = try await journal.openPlay(effects: twins)
        try await first.dispatch(.start("all"))
        await door.comers(before)
        try await first.flush()
        try deaths.kill()
        try await journal.close()
        count.change { $0 = now }
        started.change { $0 = [] }
        journal = try deaths.open()
        let store = try await journal.openPlay(effects: twins)
        #expect(store.recovery.asked.count == min(before, now))
        #expect(store.recovery.orphaned.count == max(0, before - now))
        #expect(store.recovery.resumed.isEmpty)
        for run in store.recovery.asked { try await store.release(run.key) }
        await door.comers(before + min(before, now))
        #expect(Set(started.value).count == min(before, now))
        try await journal.close()
    }

    /// With the other one's body it would go on with its own remembered steps and idempotency key.
    @Test(arguments: [0, 1])
    func `an effect whose look-alike has ended is asked about if the code returns only one of them`(
        _ live: Int
    ) async throws {
        let count = Box(2)
        let effects: @Sendable (String) -> Effect<Play> = { [count, started, door] _ in
            .combine(
                (0..<count.value).map { number in
                    .run("mail") {
                        started.change { $0.append("\(number)") }
                        if number == live { await door.pass() }
                        return nil
                    }
                })
        }
        var journal = try deaths.open()
        let first = try await journal.openPlay(effects: effects)
        try await first.dispatch(.start("x"))
        await door.comers(1)
        while try !journal.reader.effectRuns(in: "a").contains(where: { $0.status == .completed }) {
            try await first.flush()
        }
        try deaths.kill()
        try await journal.close()

        started.change { $0 = [] }
        count.change { $0 = 1 }
        journal = try deaths.open()
        let store = try await journal.openPlay(effects: effects)
        #expect(store.recovery.asked.map(\.ordinal) == [live])
        #expect(store.recovery.resumed.isEmpty)
        try await store.flush()
        #expect(started.value.isEmpty)
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `a retried effect is asked about if the code returns another number of its look-alikes`(
        _ isOpen: Bool
    ) async throws {
        let (count, fails) = (Box(2), Box(true))
        let effects: @Sendable (String) -> Effect<Play> = { [count, fails, started] _ in
            .combine(
                (0..<count.value).map { number in
                    .run("mail") {
                        started.change { $0.append("\(number)") }
                        if fails.value { throw CancellationError() }
                        return .ended("mail")
                    }
                })
        }
        let journal = try deaths.open()
        let first = try await journal.openPlay(effects: effects)
        await (try first.dispatch(.start("x"))).completion()
        try await first.close()
        #expect(try deaths("SELECT status FROM effect_run") == ["failed", "failed"])

        started.change { $0 = [] }
        count.change { $0 = 1 }
        fails.change { $0 = false }
        let key = RunKey(step: 1, ordinal: 1)
        if !isOpen { try await journal.retry(key, in: "a") }
        let store = try await journal.openPlay(effects: effects)
        if isOpen { try await store.retry(key) }
        #expect(try await store.liveRuns().map(\.status) == [.asked])
        #expect(started.value.isEmpty)
        // An operator who releases it has seen that it is asked.
        try await store.release(key)
        _ = try await store.dispatch(.add(1)) { $0.log == ["mail"] }
        try await journal.close()
    }

    @Test func `the notice names those that come first in the step`() async throws {
        let journal = try deaths.open()
        let store = try await journal.openPlay { _ in
            (1...8).reduce(.none) { all, number in
                all + .run("n\(number)") { nil } + .run("n\(number)") { nil }
            }
        }
        try await store.dispatch(.start("x"))
        let notice = deaths.notices.value.first
        #expect(notice?.kind == .ambiguousEffects)
        #expect(notice?.error.message.hasPrefix("The step returned 2 effects 'n1' ") == true)
        try await journal.close()
    }

    @Test func `a look-alike that is released and that its queue delays is not asked about again`() async throws {
        let queue = JobQueue.suspending(2, delay: .constant(.seconds(60)))
        let effects: @Sendable (String) -> Effect<Play> = { _ in
            .combine(
                (0..<2).map { _ in
                    .run("mail", queue: queue) {
                        try await forever()
                        return nil
                    }
                })
        }
        var journal = try deaths.open()
        let first = try await journal.openPlay(clock: deaths.clock, effects: effects)
        try await first.dispatch(.start("x"))
        try await first.flush()
        #expect(try deaths("SELECT status FROM effect_run ORDER BY ordinal") == ["running", "delayed"])
        try deaths.kill()
        try await journal.close()

        journal = try deaths.open()
        let second = try await journal.openPlay(clock: deaths.clock, effects: effects)
        #expect(second.recovery.asked.map(\.ordinal) == [0, 1])
        try await second.release(RunKey(step: 1, ordinal: 1))
        try await second.flush()
        #expect(try deaths("SELECT status FROM effect_run ORDER BY ordinal") == ["asked", "delayed"])
        try deaths.kill()
        try await journal.close()

        journal = try deaths.open()
        let third = try await journal.openPlay(clock: deaths.clock, effects: effects)
        #expect(third.recovery.asked.map(\.ordinal) == [0])
        #expect(third.recovery.resumed.map(\.ordinal) == [1])
        try await journal.close()
    }

    /// An ephemeral effect has no record, so it is no look-alike of one that has.
    @Test(arguments: [false, true])
    func `an effect beside an ephemeral one of the same name is resumed, in whatever order the code returns them`(
        _ isOtherOrder: Bool
    ) async throws {
        let isSwapped = Box(false)
        let effects: @Sendable (String) -> Effect<Play> = { [started, door, isSwapped] _ in
            let charge: Effect<Play> = .run {
                started.change { $0.append("charge") }
                await door.pass()
                return .ended("charge")
            }
            let note: Effect<Play> = .ephemeral { _ in started.change { $0.append("note") } }
            return isSwapped.value ? note + charge : charge + note
        }
        var journal = try deaths.open()
        let first = try await journal.openPlay(effects: effects)
        try await first.dispatch(.start("x"))
        await door.comers(1)
        try await first.flush()
        try deaths.kill()
        try await journal.close()
        #expect(!deaths.notices.value.contains { $0.kind == .ambiguousEffects })

        started.change { $0 = [] }
        isSwapped.change { $0 = isOtherOrder }
        journal = try deaths.open()
        let store = try await journal.openPlay(effects: effects)
        #expect(store.recovery.resumed.count == 1)
        #expect(store.recovery.asked.isEmpty)
        await door.comers(2)
        #expect(started.value == ["charge"])
        try await journal.close()
    }

    /// A run that is resumed as an ephemeral one would never be recorded as ended, and each opening would run it again.
    @Test(arguments: [false, true])
    func `a recorded effect that the code has made ephemeral is an orphan`(_ hasOrphanAction: Bool) async throws {
        var journal = try deaths.open()
        let first = try await journal.openPlay { [door] name in
            let effect: Effect<Play> = .fireAndForget(name) { await door.pass() }
            return hasOrphanAction ? effect.onOrphan(.ended("told")) : effect
        }
        try await first.dispatch(.start("x"))
        await door.comers(1)
        try await first.flush()
        try deaths.kill()
        try await journal.close()

        journal = try deaths.open()
        let store = try await journal.openPlay { [started] name in
            .ephemeral(name) { _ in started.change { $0.append(name) } }
        }
        #expect(store.recovery.orphaned.map(\.name) == ["x"])
        if hasOrphanAction {
            _ = try await store.dispatch(.add(1)) { $0.log == ["told"] }
        } else {
            try await store.cancel(RunKey(step: 1))
        }
        try await journal.close()
        #expect(started.value.isEmpty)
        #expect(try deaths("SELECT status FROM effect_run") == ["cancelled"])
    }

    @Test func `effects of a step that cannot be distinguished are asked about, never guessed`() async throws {
        let twins: @Sendable (String) -> Effect<Play> = { [started, door] _ in
            func twin(_ name: String) -> Effect<Play> {
                .run("twin") {
                    started.change { $0.append(name) }
                    await door.pass()
                    return .ended(name)
                }
            }
            return twin("left") + twin("right")
                + .run("other") { [door] in
                    await door.pass()
                    return nil
                }
        }
        var journal = try deaths.open()
        let first = try await journal.openPlay(effects: twins)
        try await first.dispatch(.start("both"))
        await door.comers(3)
        try await first.flush()
        try deaths.kill()
        try await journal.close()
        #expect(deaths.notices.value.map(\.kind) == [.ambiguousEffects])

        journal = try deaths.open()
        var options = OpenOptions()
        options.differences = .refuse
        let refused = await journalError {
            try await journal.open(play, stream: "a", environment: Stage(effects: twins), options: options)
        }
        #expect(refused?.code == .otherEffects)
        let store = try await journal.openPlay(effects: twins)
        #expect(store.recovery.asked.map(\.name) == ["twin", "twin"])
        #expect(store.recovery.resumed.map(\.name) == ["other"])
        // What is decided while the stream is closed holds at the next opening; what is not decided is asked about
        // again.
        try await store.close()
        try await journal.release(RunKey(step: 1, ordinal: 1), in: "a")
        let again = try await journal.openPlay(effects: twins)
        #expect(again.recovery.asked.map(\.key) == [RunKey(step: 1, ordinal: 0)])
        #expect(again.recovery.resumed.map(\.name) == ["twin", "other"])
        door.open()
        _ = try await again.dispatch(.add(1)) { $0.log == ["right"] }
        try await journal.close()
    }
}
