import JournalStore
import JournalTesting
import Testing

@testable import todo

private struct Drawing: Codable, Sendable, Equatable {
    var lines: [Int] = []
    var selected: Int?
    var isPrinted = false
}

private enum DrawingAction: Codable, Sendable, Equatable {
    case draw(Int)
    /// Draws a line, and another one with `.next`.
    case drawTwo(Int)
    /// Changes nothing, and draws a line with `.next`.
    case drawNext(Int)
    /// Cannot be undone.
    case select(Int?)
    case print
    case printed
}

private struct Print: Codable, Sendable {}

private let drawing = Reducer<DrawingAction, Drawing, Void> { action, drawing, _ in
    switch action {
    case .draw(let line):
        if line < 0 { return .reject("There is no such line.") }
        drawing.lines.append(line)
    case .drawTwo(let line):
        drawing.lines.append(line)
        return .next(.draw(line + 1))
    case .drawNext(let line): return .next(.draw(line))
    case .select(let line): drawing.selected = line
    case .print: return .perform(Print())
    case .printed: drawing.isPrinted = true
    }
    return .none
}
.handling(Print.self) { _, _, _ in .printed }

private func machine(limit: Int = 100) -> Machine<UndoAction<DrawingAction>, Undoable<Drawing>, Void> {
    let undoable = drawing.undoable(limit: limit) { if case .select = $0 { false } else { true } }
    return Machine("drawing", initialState: Undoable(present: Drawing()), reducer: undoable)
}

/// What is seen of a history: the lines now, how many states can be undone, and how many redone.
private struct Seen: Equatable {
    var lines: [Int]
    var past: Int
    var future: Int

    init(_ lines: [Int], past: Int, future: Int) {
        (self.lines, self.past, self.future) = (lines, past, future)
    }

    init(_ state: Undoable<Drawing>) {
        self.init(state.present.lines, past: state.past.count, future: state.future.count)
    }
}

@Suite struct `A machine with undo` {
    /// The state after actions, each of which may be rejected.
    private func after(
        _ actions: [UndoAction<DrawingAction>], limit: Int = 100
    ) async throws -> (state: Undoable<Drawing>, rejections: [String]) {
        let store = try await Journal.inMemory().open(machine(limit: limit), stream: "drawing")
        var rejections: [String] = []
        for action in actions {
            let dispatched = try await store.dispatch(action)
            if case .rejected(let reason) = dispatched.outcome { rejections.append(reason) }
            await dispatched.completion()
        }
        return (store.state, rejections)
    }

    @Test func `undo goes back one action, and redo goes forward`() async throws {
        let drawn: [UndoAction<DrawingAction>] = [.act(.draw(1)), .act(.draw(2)), .act(.draw(3))]
        #expect(Seen(try await after(drawn).state) == Seen([1, 2, 3], past: 3, future: 0))
        #expect(Seen(try await after(drawn + [.undo, .undo]).state) == Seen([1], past: 1, future: 2))
        #expect(Seen(try await after(drawn + [.undo, .undo, .redo]).state) == Seen([1, 2], past: 2, future: 1))
    }

    @Test func `a new action clears what can be redone`() async throws {
        let (state, rejections) = try await after([.act(.draw(1)), .undo, .act(.draw(2)), .redo])
        #expect(Seen(state) == Seen([2], past: 1, future: 0))
        #expect(rejections == ["there is nothing to redo"])
    }

    @Test func `undo is rejected if there is nothing to undo`() async throws {
        let (state, rejections) = try await after([.undo, .act(.draw(1)), .undo, .undo])
        #expect(Seen(state) == Seen([], past: 0, future: 1))
        #expect(rejections == ["there is nothing to undo", "there is nothing to undo"])
    }

    @Test(arguments: [0, 1, 3, -1])
    func `the history has a limit`(_ limit: Int) async throws {
        let drawn = (1...5).map { UndoAction.act(DrawingAction.draw($0)) }
        let (state, _) = try await after(drawn, limit: limit)
        #expect(Seen(state) == Seen([1, 2, 3, 4, 5], past: max(0, limit), future: 0))
        let undone = try await after(drawn + Array(repeating: .undo, count: 5), limit: limit)
        #expect(undone.state.present.lines == Array(1...(5 - max(0, limit))))
        #expect(undone.rejections.count == 5 - max(0, limit))
    }

    @Test func `an action that does not count cannot be undone, and clears nothing`() async throws {
        let actions: [UndoAction<DrawingAction>] = [.act(.draw(1)), .act(.draw(2)), .undo, .act(.select(1))]
        let (state, _) = try await after(actions)
        #expect(Seen(state) == Seen([1], past: 1, future: 1) && state.present.selected == 1)
        #expect(try await after(actions + [.redo]).state.present.lines == [1, 2])
        #expect(try await after([.act(.select(1)), .undo]).rejections == ["there is nothing to undo"])
    }

    @Test func `an action that changes nothing or is rejected is not in the history`() async throws {
        let drawn: [UndoAction<DrawingAction>] = [.act(.draw(1)), .undo, .act(.draw(-1)), .act(.print)]
        let (state, rejections) = try await after(drawn)
        #expect(rejections == ["There is no such line."])
        // What the effect of `print` sent is.
        #expect(Seen(state) == Seen([], past: 1, future: 0) && state.present.isPrinted)
    }

    @Test func `a cascade is undone with its action`() async throws {
        let (state, _) = try await after([.act(.draw(1)), .act(.drawTwo(2)), .act(.drawNext(4))])
        #expect(Seen(state) == Seen([1, 2, 3, 4], past: 3, future: 0))
        let undone = try await after([.act(.draw(1)), .act(.drawTwo(2)), .act(.drawNext(4)), .undo, .undo])
        #expect(Seen(undone.state) == Seen([1], past: 1, future: 2))
        // The second line is rejected, and the first one stays.
        let half = try await after([.act(.drawTwo(-2)), .undo])
        #expect(Seen(half.state) == Seen([], past: 0, future: 1))
    }

    @Test func `an action after an undo in the same step is undone by itself`() {
        let reducer = drawing.undoable()
        var state = Undoable(present: Drawing())
        let actions: [UndoAction<DrawingAction>] = [.act(.draw(1)), .undo, .act(.draw(2))]
        for (substep, action) in actions.enumerated() {
            var step = Step(number: 1, substep: substep)
            _ = reducer.reduce(action, &state, (), &step)
        }
        #expect(Seen(state) == Seen([2], past: 1, future: 0))
    }

    @Test func `the history survives a restart`() async throws {
        let test = try await TestStore(machine())
        test.exhaustivity = .off
        await test.send(.act(.draw(1)))
        await test.send(.act(.draw(2)))
        await test.send(.undo)
        await test.restart()
        #expect(Seen(test.state) == Seen([1], past: 1, future: 1))
        await test.send(.redo)
        await test.restart()
        await test.send(.undo)
        await test.send(.undo)
        await test.send(.undo, rejected: "there is nothing to undo")
        #expect(Seen(test.state) == Seen([], past: 0, future: 2))
    }

    @Test func `it ends the same wherever it is killed, and described effects keep their handlers`() async throws {
        let actions: [UndoAction<DrawingAction>] = [
            .act(.drawTwo(1)), .act(.print), .undo, .undo, .redo, .act(.draw(9)), .redo,
        ]
        let report = try await CrashMatrix(machine(limit: 2), actions: actions).run()
        #expect(report.effects == 1 && report.unfinished == 0, "\(report)")
    }

    @Test func `states that cannot be compared have a rule of their own`() {
        struct Plain: Codable, Sendable { var count = 0 }
        let reducer = Reducer<Int, Plain, Void> { action, state, _ in
            state.count += action
            return .none
        }
        .undoable { $0.count != $1.count }
        let plain = Machine("plain", initialState: Undoable(present: Plain()), reducer: reducer)
        let state = plain.reduce(.act(1)).state
        #expect(state.past.count == 1)
        #expect(plain.reduce(.act(0), from: state).state.past.count == 1)
        #expect(plain.reduce(.undo, from: state).state.present.count == 0)
    }
}
