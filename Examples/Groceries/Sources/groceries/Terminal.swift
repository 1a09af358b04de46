import Foundation

/// The app without SwiftUI: the same model, read and changed line by line.
@MainActor enum Terminal {
    static func run(path: String) async throws {
        let opening = Opening(path: path)
        await opening.open()
        guard case .open(let model) = opening.phase else {
            if case .failed(let problem) = opening.phase { print(problem) }
            exit(1)
        }
        print("The list in the terminal. add NAME, bought NUMBER, remove NUMBER, hide, show, quit")
        show(model)
        while let line = await nextLine(), line != "quit" {
            guard let action = action(line, model) else {
                print("? \(line)")
                continue
            }
            if case .rejected(let reason) = try await model.perform(action) { print(reason) }
            show(model)
        }
        try await opening.close()
    }

    private static func action(_ line: String, _ model: GroceryModel) -> GroceryAction? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let item = words.last.flatMap(Int.init).flatMap { number in
            model.visible.indices.contains(number - 1) ? model.visible[number - 1] : nil
        }
        switch (words.first, words.count, item) {
        case ("add", 2, _): return .add(words[1])
        case ("bought", 2, let item?): return .setBought(item.id, !item.isBought)
        case ("remove", 2, let item?): return .remove([item.id])
        case ("hide", 1, _): return .hideBought(true)
        case ("show", 1, _): return .hideBought(false)
        default: return nil
        }
    }

    private static func show(_ model: GroceryModel) {
        for (index, item) in model.visible.enumerated() {
            print("\(index + 1). [\(item.isBought ? "x" : " ")] \(item.name)")
        }
        print("\(model.missing) to buy")
        fflush(nil)
    }

    /// Reads on a thread of its own: waiting for a person must not block the main actor.
    private static func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
    }
}
