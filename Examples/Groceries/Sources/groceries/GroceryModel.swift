import Foundation
import JournalObservation
import JournalStore
import Observation

/// What the views show and do. It needs no SwiftUI.
@MainActor @Observable final class GroceryModel {
    /// The name that is being typed. It belongs to the view, and is not journaled.
    var draft = ""
    private let list: ObservedStore<GroceryAction, Groceries>

    init(_ store: Store<GroceryAction, Groceries>) {
        list = ObservedStore(store)
    }

    // MARK: What is shown

    var visible: [Grocery] { list.hidesBought ? list.items.filter { !$0.isBought } : list.items }
    var missing: Int { list.items.count { !$0.isBought } }
    var canAdd: Bool { !name.isEmpty }
    /// Why the last action could not be journaled.
    var problem: String? { list.sendError?.message }

    private var name: String { draft.trimmingCharacters(in: .whitespaces) }

    // MARK: What can be done

    /// Adds what was typed.
    func add() {
        guard canAdd else { return }
        list.send(.add(name))
        draft = ""
    }

    /// Removes visible items, as `onDelete` gives them.
    func remove(at offsets: IndexSet) {
        list.send(.remove(offsets.map { visible[$0].id }))
    }

    func forgetProblem() {
        list.sendError = nil
    }

    /// For a toggle. It shows the new value when that is committed and reduced.
    var hidesBought: ObservedBinding<Bool> {
        list.binding(get: \.hidesBought, send: GroceryAction.hideBought)
    }

    /// For the toggle of an item.
    func isBought(_ item: Grocery) -> ObservedBinding<Bool> {
        list.binding(
            get: { list in list.items.first { $0.id == item.id }?.isBought ?? false },
            send: { .setBought(item.id, $0) })
    }

    /// Does what a view cannot wait for: when it returns, what is shown includes the action and all that were sent
    /// before.
    func perform(_ action: GroceryAction) async throws(JournalError) -> DispatchOutcome {
        try await list.dispatch(action)
    }
}
