import Foundation
import JournalReplayKit
import JournalStore

/// `agent --journal FILE [QUESTION]`, and the tool: `agent journal COMMAND …`.
///
/// The model of this example reads ten pages, one a turn, and adds up what they say. What it does outside is written to FILE.outside. Killed at
/// any time, the next launch goes on with the first turn that has no result.
@main
struct AgentApp {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "journal" {
            // Never called: a replay starts no effect.
            let services = Services(think: { _, _ in .answer("") }, call: { _, _, _ in "" })
            let machines = [ReplayMachine(agent, environment: services)]
            await ReplayTool(program: "agent journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard arguments.count >= 2, arguments[0] == "--journal" else {
            print("Usage: agent --journal FILE [QUESTION]\n       agent journal COMMAND [OPTIONS] FILE")
            exit(64)
        }
        let journal = try Journal(path: arguments[1])
        let store = try await journal.open(
            agent, stream: "research", environment: services(outside: arguments[1] + ".outside"))
        if let question = arguments.dropFirst(2).first,
            case .rejected(let reason) = try await store.dispatch(.ask(question)).outcome
        {
            print("not asked: \(reason)")
        }
        print(store.state.question.map { "question: \($0)" } ?? "nothing was asked")
        await store.join()
        if let answer = store.state.answer { print("answer: \(answer)") }
        if let problem = store.state.problem { print("problem: \(problem)") }
        try await journal.close()
    }

    /// A model without a network: it asks for page after page.
    private static func services(outside: String) -> Services {
        Services(
            think: { history, key in
                try await work("think", key, outside)
                let page = history.count
                if page <= 10 { return .call(tool: "read", input: "page \(page)") }
                return .answer("\(history.dropFirst().compactMap { Int($0) }.reduce(0, +))")
            },
            call: { tool, input, key in
                try await work("\(tool) \(input)", key, outside)
                return input.split(separator: " ").last.map(String.init) ?? ""
            })
    }

    /// Takes a while, and leaves a line outside.
    private static func work(_ what: String, _ key: String, _ outside: String) async throws {
        try await Task.sleep(for: .milliseconds(60))
        let line = Data("\(what) \(key)\n".utf8)
        if !FileManager.default.fileExists(atPath: outside) {
            _ = FileManager.default.createFile(atPath: outside, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: outside))
        try file.seekToEnd()
        try file.write(contentsOf: line)
        try file.close()
    }
}
