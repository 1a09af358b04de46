import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Machine, a state changed in place` {
    private typealias Reduced = ReducedState<ShelfAction, Shelf>

    private let program: Program<ShelfAction, Shelf>
    private let stream = StreamInfo(
        id: StreamID(rawValue: 1), name: "a", machine: "shelf", created: Timestamp(microseconds: 0), headStep: 0,
        headDigest: Digest(high: 0, low: 0), settledStep: 0, prunedStep: 0, seed: [])
    private let name: String
    private let stamp = Appended.Stamp(time: Timestamp(microseconds: 0), digest: Digest(high: 0, low: 0))

    init() {
        name = "\(Self.self) \(UInt64.random(in: 0 ... .max))"
        program = Program(shelfMachine(name, cascadeLimit: 6), environment: (), checksCoding: false)
    }

    /// Reduces a step, and computes the state before it if that is asked for.
    private func reduce(
        _ action: ShelfAction, _ step: Int, _ reduced: inout Reduced, before: Shelf
    ) -> Reduction<ShelfAction> {
        let reduction = reduced.reduce(action, at: step, stamp, in: stream, program)
        guard reduction.isSpoiled else { return reduction }
        return reduced.undo(reduction, to: before, action, at: step, stamp, in: stream, program)
    }

    /// The same with a copy of the state at each step.
    private func reduceCopying(_ action: ShelfAction, _ step: Int, _ state: inout Shelf) -> Reduction<ShelfAction> {
        program.reduce(action, &state, at: step, stamp, in: stream, undoing: true)
    }

    private static func action(_ random: inout SplitMix, depth: Int = 2) -> ShelfAction {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .refuse
        case 1: .addAndRefuse(.random(in: 0..<9, using: &random))
        case 2, 3:
            depth == 0
                ? .add(1)
                : .all(
                    .random(in: 0..<9, using: &random),
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in action(&random, depth: depth - 1) })
        default: .add(.random(in: 0..<9, using: &random))
        }
    }

    @Test(arguments: 0..<200)
    func `has the same states and results as one that is copied at each step`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var reduced = Reduced(program.initialState)
        var state = program.initialState
        var others: [(Reduced, Shelf, Int)] = []
        var read: [(Shelf, [Int])] = []
        var keepsPrevious = false
        var step = 0
        for _ in 0..<60 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: others.append((reduced, state, step))
            case 1 where !others.isEmpty:
                let other = others.remove(at: .random(in: 0..<others.count, using: &random))
                others.append((reduced, state, step))
                (reduced, state, step) = other
                keepsPrevious = false
            case 2: read.append((reduced.state, state.items))
            case 3:
                reduced.keepPrevious()
                keepsPrevious = true
            default: break
            }
            step += 1
            let before = Shelf(name, state.items)
            let action = Self.action(&random)
            let expected = reduceCopying(action, step, &state)
            let reduction = reduce(action, step, &reduced, before: before)
            #expect(reduction.outcome == expected.outcome)
            #expect(reduction.cascade == expected.cascade)
            #expect(!reduction.isSpoiled)
            #expect(reduced.state == state)
            if keepsPrevious, reduction.isReduced { #expect(reduced.previous == before) }
        }
        for (shelf, items) in read { #expect(shelf.items == items) }
        for (other, state, _) in others { #expect(other.state == state) }
    }

    @Test func `is never copied while nothing is rejected`() {
        var reduced = Reduced(Shelf(name, [1, 2, 3]))
        for step in 1...100 { _ = reduce(.all(step, [.add(step)]), step, &reduced, before: Shelf(name)) }
        #expect(reduced.state.items.count == 203)
        #expect(Shelf.takeCopies(name) == 0)
    }

    @Test func `is copied once for a reader that keeps it`() {
        var reduced = Reduced(Shelf(name))
        let kept = reduced.state
        for step in 1...100 { _ = reduce(.add(step), step, &reduced, before: Shelf(name)) }
        #expect(kept.items.isEmpty)
        #expect(Shelf.takeCopies(name) == 1)
    }

    @Test func `is not copied for actions that are rejected before they change anything`() {
        var reduced = Reduced(Shelf(name))
        _ = reduce(.refuse, 1, &reduced, before: Shelf(name))
        _ = reduce(.add(2), 2, &reduced, before: Shelf(name))
        _ = Shelf.takeCopies(name)
        for step in 3...100 {
            _ = reduce(step % 3 == 0 ? .refuse : .add(step), step, &reduced, before: Shelf(name))
        }
        #expect(Shelf.takeCopies(name) == 0)
    }

    @Test func `is copied at most twice for an action that is rejected after a change`() {
        var reduced = Reduced(Shelf(name))
        _ = reduce(.refuse, 1, &reduced, before: Shelf(name))
        _ = reduce(.add(2), 2, &reduced, before: Shelf(name))
        _ = Shelf.takeCopies(name)
        for step in 3...32 {
            _ = reduce(step % 3 == 0 ? .addAndRefuse(step) : .add(step), step, &reduced, before: Shelf(name))
        }
        #expect((1...20).contains(Shelf.takeCopies(name)))
    }

    @Test func `is not copied at each step for a caller that needs the state before each`() {
        var reduced = Reduced(Shelf(name))
        reduced.keepPrevious()
        for step in 1...100 {
            _ = reduce(.add(step), step, &reduced, before: Shelf(name))
            #expect(reduced.previous.items == Array(1..<step))
        }
        #expect(Shelf.takeCopies(name) == 1)
    }
}
