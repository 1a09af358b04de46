import Foundation
import JournalReplayKit
import JournalStore
import LoginMachine

/// `login --journal FILE [--seconds N] INPUT…`, `login diagram mermaid|graphviz`, and the tool:
/// `login journal COMMAND …`.
///
/// It sends the inputs (`login`, `logout`, `forceLogout`), waits until the server has answered, and ends. The server is
/// a pause of N seconds. Killed in between, the next launch asks it again, and waits.
@main
struct LoginApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("login: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "journal":
            // The app is its own tool.
            let machines = [ReplayMachine(machine, environment: server(seconds: 0))]
            await ReplayTool(program: "login journal", machines: machines).main(Array(arguments.dropFirst()))
        case "diagram":
            print(transitions.diagram(arguments.last == "graphviz" ? .graphviz : .mermaid), terminator: "")
        default:
            guard let options = Options(arguments) else {
                print(Options.usage)
                exit(64)
            }
            try await run(options)
        }
    }

    private static func run(_ options: Options) async throws {
        let journal = try Journal(path: options.journal)
        let store = try await journal.open(machine, stream: "user", environment: server(seconds: options.seconds))
        print("state: \(store.state)")
        for input in options.inputs {
            switch try await store.reply(to: input) {
            case .success(_, let from, let to): print("\(input): \(from) → \(to)")
            case .failure(_, let from, _): print("\(input): refused in \(from)")
            }
        }
        for await state in store.states where [.loggedIn, .loggedOut].contains(state) { break }
        print("state: \(store.state)")
        try await journal.close()
    }

    private static func server(seconds: Int) -> Server {
        Server { what, _, clock in
            print("server: \(what)")
            try await clock.sleep(for: .seconds(seconds))
        }
    }
}

private struct Options {
    static let usage =
        "Usage: login --journal FILE [--seconds N] [\(Input.allCases.map(\.rawValue).joined(separator: " | "))]…\n"
        + "       login diagram mermaid | graphviz\n       login journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var seconds = 0
    var inputs: [Input] = []

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--journal":
                guard let path = words.popFirst() else { return nil }
                journal = path
            case "--seconds":
                guard let count = words.popFirst().flatMap(Int.init) else { return nil }
                seconds = count
            default:
                guard let input = Input(rawValue: word) else { return nil }
                inputs.append(input)
            }
        }
        if journal.isEmpty { return nil }
    }
}
