import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// An ID that an action or a state keeps is decoded with it, and then its type is not known.
@Suite struct `IDs that a state keeps` {
    struct UploadID: EffectIDProtocol {
        var file: String
        var date = Date(timeIntervalSinceReferenceDate: 785_332_800)
        var size: Decimal = 1
    }

    enum Upload: Codable, Sendable, Equatable { case begin(AnyEffectID), stop }

    let deaths: Deaths
    let door = Door()

    init() throws { deaths = try Deaths() }

    private func machine(isScoped: Bool = false) -> Machine<Upload, [AnyEffectID], Void> {
        Machine("upload", initialState: []) { [door] action, state, _ in
            let effect: Effect<Upload>
            switch action {
            case .begin(let id):
                state.append(id)
                effect = .fireAndForget("upload", id: id) { _ in await door.pass() }
            case .stop:
                effect = .combine(state.map { .cancel(id: $0) })
                state = []
            }
            return isScoped ? effect.scoped("left") : effect
        }
    }

    @Test(arguments: [true, false]) func `cancel the effects of an earlier process`(isScoped: Bool) async throws {
        let machine = machine(isScoped: isScoped)
        let journal = try deaths.open()
        let store = try await journal.open(machine, stream: "a")
        let ids = [AnyEffectID("a"), AnyEffectID(UploadID(file: "a")), AnyEffectID(UploadID(file: "b"))]
        for id in ids { try await store.dispatch(.begin(id)) }
        await door.comers(3)
        try await store.flush()
        try deaths.kill()
        try await journal.close()

        let again = try deaths.open()
        let restored = try await again.open(machine, stream: "a")
        #expect(restored.recovery.resumed.count == 3 && restored.recovery.orphaned.isEmpty)
        #expect(restored.state == ids)
        #expect(try restored.replayer().verify().isFaithful)
        try await restored.dispatch(.stop)
        try await restored.flush()
        #expect(try again.reader.effectRuns(in: "a").map(\.status) == [.cancelled, .cancelled, .cancelled])
        door.open()
        try await again.close()
    }

    @Test func `cancel the effects with equal ones, and no others`() async throws {
        let journal = try deaths.open()
        let store = try await journal.open(machine(), stream: "a")
        let ids = ["9079002338508219.35", "9079002338508219"].compactMap { Decimal(string: $0) }
            .map { AnyEffectID(UploadID(file: "a", size: $0)) }
        for id in ids { try await store.dispatch(.begin(id)) }
        await door.comers(2)
        let run = try #require(try await store.liveRuns().first)
        #expect(run.effectID == ids[0])
        try await store.cancel(id: try #require(run.effectID))
        #expect(try await store.liveRuns().map(\.step) == [2])
        door.open()
        try await journal.close()
    }

    /// Equal ones can have several texts.
    struct Job: EffectIDProtocol {
        var number: Int
        var title: String
        static func == (left: Job, right: Job) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test func `cancel the dispatches with an equal cancel ID, as they cancel the effects with an equal ID`()
        async throws
    {
        let machine = Machine<Upload, [AnyEffectID], Void>("job", initialState: []) { [door] action, state, _ in
            guard case .begin(let id) = action else { return .cancel(id: state[0]) }
            if state.isEmpty { state = [id] }
            return .fireAndForget("work", id: id.as(Job.self)?.title == "c" ? id : nil) { _ in await door.pass() }
        }
        let journal = try deaths.open()
        try await (try await journal.open(machine, stream: "a")).dispatch(
            .begin(AnyEffectID(Job(number: 1, title: "a"))))
        try await journal.close()

        let again = try deaths.open()
        let store = try await again.open(machine, stream: "a")
        for (number, title) in [(1, "b"), (2, "b"), (1, "c")] {
            let job = Job(number: number, title: title)
            try await store.dispatch(.begin(AnyEffectID(job)), cancelID: title == "b" ? job : nil)
        }
        await door.comers(4)
        try await store.dispatch(.stop)
        #expect(try await store.liveRuns().map(\.step) == [1, 3])
        door.open()
        try await again.close()
    }

    /// As a property wrapper does.
    struct Tags: EffectIDProtocol {
        var names: Set<String>
        init(_ names: Set<String>) { self.names = names }
        init(from decoder: any Decoder) throws { names = try Set(from: decoder) }
        func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
    }

    @Test func `are found again by their values if these have several texts`() async throws {
        let names = Set((1...20).map { "tag \($0)" })
        let capacity = Box(0)
        let machine = Machine<Upload, Int, Void>("tags", initialState: 0) { [door] _, _, _ in
            // The order of a set depends on its capacity.
            var set = Set<String>(minimumCapacity: 64 << capacity.value)
            set.formUnion(names)
            return .fireAndForget("upload", id: Tags(set)) { _ in await door.pass() }
        }
        let journal = try openJournal(deaths.path) { $0.reducesTwice = false }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(.stop)
        try await store.close()
        for _ in 1...4 {
            capacity.change { $0 += 1 }
            let again = try await journal.open(machine, stream: "a")
            #expect(again.recovery.resumed.count == 1 && again.recovery.orphaned.isEmpty)
            try await again.close()
        }
        door.open()
        try await journal.close()
    }
}
