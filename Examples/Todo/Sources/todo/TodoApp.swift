import Foundation
import JournalReplayKit
import JournalStore

struct Todo: Codable, Sendable, Equatable {
    var text: String
    var isDone = false
}

enum TodoAction: Codable, Sendable, Equatable {
    case add(String)
    case toggle(Int)
    case remove(Int)
}

let todos = Machine<UndoAction<TodoAction>, Undoable<[Todo]>, Void>(
    "todos", initialState: Undoable(present: []),
    reducer: Reducer<TodoAction, [Todo], Void> { action, todos, _ in
        switch action {
        case .add(let text): todos.append(Todo(text: text))
        case .toggle(let index):
            guard todos.indices.contains(index) else { return .reject("there is no number \(index + 1)") }
            todos[index].isDone.toggle()
        case .remove(let index):
            guard todos.indices.contains(index) else { return .reject("there is no number \(index + 1)") }
            todos.remove(at: index)
        }
        return .none
    }.undoable())

/// `todo --journal FILE` reads commands from standard input; the tool: `todo journal COMMAND …`.
///
/// Each list that it prints is committed. If it is killed, the next launch has that list, and can undo what the last
/// launch did.
@main
struct TodoApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("todo: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            await ReplayTool(program: "todo journal", machines: [ReplayMachine(todos)]).main(
                Array(arguments.dropFirst()))
        }
        guard arguments.count == 2, arguments[0] == "--journal" else {
            print("Usage: todo --journal FILE\n       todo journal COMMAND [OPTIONS] FILE")
            exit(64)
        }
        let journal = try Journal(path: arguments[1])
        let store = try await journal.open(todos, stream: "todos")
        write("add TEXT, done NUMBER, remove NUMBER, undo, redo, quit")
        // The view: it prints the list whenever it has changed, whoever changed it.
        let view = Task {
            var shown: [Todo]?
            for await state in store.states where state.present != shown {
                shown = state.present
                show(state.present)
            }
        }
        while let line = await nextLine(), line != "quit" {
            guard let action = action(line) else {
                write("? \(line)")
                continue
            }
            if case .rejected(let reason) = try await store.dispatch(action).outcome { write(reason) }
        }
        try await journal.close()
        // The last state has been shown when the states have ended.
        await view.value
    }

    private static func action(_ line: String) -> UndoAction<TodoAction>? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("undo", 1): return .undo
        case ("redo", 1): return .redo
        case ("add", 2): return .act(.add(words[1]))
        case ("done", 2): return Int(words[1]).map { .act(.toggle($0 - 1)) }
        case ("remove", 2): return Int(words[1]).map { .act(.remove($0 - 1)) }
        default: return nil
        }
    }

    private static func show(_ todos: [Todo]) {
        let lines = todos.enumerated().map { index, todo in "\(index + 1). [\(todo.isDone ? "x" : " ")] \(todo.text)" }
        write(todos.isEmpty ? "nothing to do" : lines.joined(separator: "\n"))
    }

    /// Writes at once. What `print` writes to a pipe is kept for later, and `fflush(nil)` flushes standard input too: it
    /// would wait for the line that is being read, on a thread that tasks share.
    private static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Reads on a thread of its own: waiting for a person must not block a thread that tasks share.
    private static func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
    }
}
