import Dispatch
import Foundation
import JournalReplayKit

/// `groceries` opens the window, `groceries --journal FILE` is the same list in the terminal; and the tool:
/// `groceries journal COMMAND …`.
@main
struct GroceriesMain {
    // Not `async`: the loop of a window would then run inside a task of the main actor, and no other would get its
    // turn.
    @MainActor static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        #if canImport(SwiftUI)
            if arguments.isEmpty { return GroceriesApp.main() }
        #endif
        Task {
            do { try await run(arguments) } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
            exit(0)
        }
        dispatchMain()
    }

    @MainActor private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            await ReplayTool(program: "groceries journal", machines: [ReplayMachine(groceries)]).main(
                Array(arguments.dropFirst()))
        }
        if arguments.count == 2, arguments[0] == "--journal" { return try await Terminal.run(path: arguments[1]) }
        print("Usage: groceries --journal FILE\n       groceries journal COMMAND [OPTIONS] FILE")
        #if !canImport(SwiftUI)
            print("There is no SwiftUI on this system, so there is no window.")
        #endif
        exit(64)
    }
}
