import Foundation
import JournalStore
import Testing

@testable import groceries

@MainActor @Suite struct `The model of the groceries` {
    private func open(_ journal: Journal) async throws -> GroceryModel {
        GroceryModel(try await journal.open(groceries, stream: "groceries"))
    }

    @Test func `what was typed is added, and the field is empty again`() async throws {
        let model = try await open(Journal.inMemory())
        #expect(!model.canAdd)
        model.draft = " tea "
        #expect(model.canAdd)
        model.add()
        #expect(model.draft.isEmpty && model.visible.isEmpty)
        #expect(try await model.perform(.add("milk")) == .reduced)
        #expect(model.visible.map(\.name) == ["tea", "milk"])
        model.add()
        #expect(try await model.perform(.add("tea")) == .rejected(reason: "tea is on the list"))
        #expect(model.missing == 2)
    }

    @Test func `a toggle sends an action, and shows its value when that is reduced`() async throws {
        let model = try await open(Journal.inMemory())
        _ = try await model.perform(.add("tea"))
        let (tea, hides) = (model.isBought(model.visible[0]), model.hidesBought)
        tea.wrappedValue = true
        hides.wrappedValue = true
        #expect(!tea.wrappedValue && !hides.wrappedValue)
        _ = try await model.perform(.add("milk"))
        #expect(tea.wrappedValue && hides.wrappedValue)
        #expect(model.visible.map(\.name) == ["milk"] && model.missing == 1)
    }

    @Test func `the positions of visible items are removed`() async throws {
        let model = try await open(Journal.inMemory())
        for name in ["tea", "milk", "salt"] { _ = try await model.perform(.add(name)) }
        let tea = model.visible[0]
        model.isBought(tea).wrappedValue = true
        _ = try await model.perform(.hideBought(true))
        model.remove(at: [1])
        _ = try await model.perform(.hideBought(false))
        #expect(model.visible.map(\.name) == ["tea", "milk"])
        // A toggle of a row that is still on the screen.
        _ = try await model.perform(.remove([tea.id]))
        #expect(!model.isBought(tea).wrappedValue)
        #expect(try await model.perform(.setBought(tea.id, true)) == .rejected(reason: "it was removed"))
    }

    @Test func `an action that cannot be journaled is a problem until it is read`() async throws {
        let journal = try Journal.inMemory()
        let model = try await open(journal)
        try await journal.close()
        model.draft = "tea"
        model.add()
        await #expect(throws: JournalError.self) { try await model.perform(.add("milk")) }
        #expect(model.problem != nil)
        model.forgetProblem()
        #expect(model.problem == nil)
    }

    @Test func `an opening shows the list, or why there is none`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "groceries-\(UUID()).db").path
        defer {
            for end in ["", "-wal", "-shm", "-lock", "-socket"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let first = Opening(path: path)
        await first.open()
        guard case .open(let model) = first.phase else { throw Failure() }
        _ = try await model.perform(.add("tea"))
        let second = Opening(path: path)
        await second.open()
        guard case .failed(let problem) = second.phase else { throw Failure() }
        #expect(problem.contains("in-use"))
        try await first.close()
        let third = Opening(path: path)
        await third.open()
        guard case .open(let model) = third.phase else { throw Failure() }
        #expect(model.visible.map(\.name) == ["tea"])
        try await third.close()
    }
}

private struct Failure: Error {}
