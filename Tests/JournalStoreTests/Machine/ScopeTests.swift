import Testing

@testable import JournalStore

/// The ID and the queue of both uses, outside of a suite, so that their names do not contain the suite's.
enum Twins {
    struct Work: EffectID { var number: Int }
    struct Line: EffectQueue {
        var maxCount = 1
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: maxCount, .suspendNew) }
        var effectQueueDelay: EffectQueueDelay { .constant(2) }

        static func == (left: Line, right: Line) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }
}

@Suite struct `Machine, scopes` {
    enum Part: Equatable, Sendable { case start, stop, stopAll, widen }
    enum Whole: Equatable, Sendable { case left(Part), right(Part) }
    typealias Work = Twins.Work
    typealias Line = Twins.Line

    static let part = Reducer<Part, Int, Void> { action, _, _ in
        switch action {
        case .start: .run("work", id: Work(number: 1), queue: Line()) { nil } + .run { nil }
        case .stop: .cancel(id: Work(number: 1))
        case .stopAll: .cancel(ids: Work.self)
        case .widen: .updateQueue(Line(maxCount: 3))
        }
    }
    static let left = part.contramap(
        action: { if case .left(let part) = $0 { part } else { nil } }, embed: Whole.left, scope: "left")
    static let right = part.contramap(
        action: { if case .right(let part) = $0 { part } else { nil } }, embed: Whole.right, scope: "right")

    func effect(_ action: Whole) -> Effect<Whole> {
        var state = 0
        return (Self.left + Self.right)(action, &state)
    }

    @Test func `a scope is a prefix of its effects' names`() {
        #expect(effect(.left(.start)).outline == ["run left.work", "run -"])
        #expect(effect(.right(.start)).outline == ["run right.work", "run -"])
    }

    @Test func `a scope separates IDs, and a cancel matches only its own scope`() throws {
        let started = (try #require(effect(.left(.start)).runs[0].id), try #require(effect(.right(.start)).runs[0].id))
        #expect(started.0 != started.1)
        #expect(started.0 != AnyEffectID(Work(number: 1)))
        guard case .cancel(.id(let cancelled)) = effect(.left(.stop)).parts[0] else {
            Issue.record("no cancel")
            return
        }
        #expect(cancelled == started.0)
        #expect(effect(.left(.start)).runs[1].id == nil)
    }

    @Test func `a condition on IDs matches only the IDs of its own scope`() throws {
        let (left, right) = (effect(.left(.start)).runs[0].id, effect(.right(.start)).runs[0].id)
        let condition = try #require(effect(.left(.stopAll)).conditions.first)
        #expect(condition(left))
        #expect(!condition(right))
        #expect(!condition(nil))
    }

    @Test func `a scope separates queues and keeps their policy and delay`() throws {
        let queues = (
            try #require(effect(.left(.start)).runs[0].queue), try #require(effect(.right(.start)).runs[0].queue)
        )
        #expect(AnyEffectID(queues.0) != AnyEffectID(queues.1))
        #expect(AnyEffectID(queues.0) != AnyEffectID(Line()))
        #expect(queues.0.effectQueuePolicy == .runOldest(maxCount: 1, .suspendNew))
        #expect(queues.0.effectQueueDelay == .constant(2))
        #expect(effect(.left(.start)).runs[1].queue == nil)
    }

    @Test func `a scoped queue equals itself with another policy`() throws {
        let queue = try #require(effect(.left(.start)).runs[0].queue)
        guard case .updateQueue(let update) = effect(.left(.widen)).parts[0] else {
            Issue.record("no update")
            return
        }
        #expect(AnyEffectID(update) == AnyEffectID(queue))
        #expect(AnyEffectID(update).hashValue == AnyEffectID(queue).hashValue)
        #expect(update.effectQueuePolicy == .runOldest(maxCount: 3, .suspendNew))
    }

    @Test func `a stored ID or queue contains its scope`() throws {
        let run = effect(.left(.start)).runs[0]
        let codec = JSONCodec()
        let suite = "JournalStoreTests.Twins"
        #expect(
            try codec.encode(try #require(run.id))
                == #"{"JournalStore.ScopedID":{"id":{"\#(suite).Work":{"number":1}},"scope":"left"}}"#)
        #expect(
            try codec.encode(AnyEffectID(try #require(run.queue)))
                == #"{"JournalStore.ScopedQueue":{"left":{"\#(suite).Line":{"maxCount":1}}}}"#)
    }

    @Test func `scopes nest`() throws {
        let twice = Self.left.contramap(action: { (whole: Whole) in whole }, embed: { $0 }, scope: "outer")
        var state = 0
        let run = twice(.left(.start), &state).runs[0]
        #expect(run.name == "outer.left.work")
        #expect(
            run.id
                == AnyEffectID(
                    ScopedID(
                        scope: "outer",
                        id: AnyEffectID(ScopedID(scope: "left", id: AnyEffectID(Work(number: 1)))))))
    }

    @Test func `without a scope names and IDs are unchanged`() {
        let bare = Self.part.contramap(
            action: { (whole: Whole) in if case .left(let part) = whole { part } else { nil } }, embed: Whole.left)
        var state = 0
        let run = bare(.left(.start), &state).runs[0]
        #expect(run.name == "work")
        #expect(run.id == AnyEffectID(Work(number: 1)))
    }
}
