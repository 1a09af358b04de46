import Foundation
import JournalStore

struct Grocery: Codable, Sendable, Equatable, Identifiable {
    var id: UUID
    var name: String
    var isBought = false
}

struct Groceries: Codable, Sendable, Equatable {
    var items: [Grocery] = []
    var hidesBought = false
}

enum GroceryAction: Codable, Sendable, Equatable {
    case add(String)
    case setBought(Grocery.ID, Bool)
    case remove([Grocery.ID])
    case hideBought(Bool)
}

let groceries = Machine<GroceryAction, Groceries, Void>("groceries", initialState: Groceries()) {
    action, list, _, step in
    switch action {
    case .add(let name):
        guard !list.items.contains(where: { $0.name == name && !$0.isBought }) else {
            return .reject("\(name) is on the list")
        }
        // Not `UUID()`: a replay gets the same one.
        list.items.append(Grocery(id: step.uuid(), name: name))
    case .setBought(let id, let isBought):
        guard let index = list.items.firstIndex(where: { $0.id == id }) else { return .reject("it was removed") }
        list.items[index].isBought = isBought
    case .remove(let ids):
        list.items.removeAll { ids.contains($0.id) }
    case .hideBought(let hides):
        list.hidesBought = hides
    }
    return .none
}
