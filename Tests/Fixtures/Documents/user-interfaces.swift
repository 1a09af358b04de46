// What the code in docs/user-interfaces.md presupposes. It is only type-checked.

import JournalObservation
import JournalStore

struct AppState: Codable, Sendable, Equatable {
    var items: [String] = []
    var name = ""
    var todos: [String] = []
}

enum TodoAction: Codable, Sendable { case add(String) }

enum AppAction: Codable, Sendable { case add(String), pay, rename(String), todos(TodoAction) }

let store: Store<AppAction, AppState> = { fatalError("Only type-checked.") }()

@MainActor let observed = ObservedStore<AppAction, AppState>(store)

// Of SwiftUI, which is not everywhere.

struct Binding<Value> { @MainActor init(_ binding: ObservedBinding<Value>) {} }

struct TextField { init(_ title: String, text: Binding<String>) {} }
