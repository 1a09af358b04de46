import Foundation
import JournalReplayKit
import JournalStore

/// `agent --journal FILE [--answers N] [QUESTION]`, and the tool: `agent journal COMMAND …`.
///
/// The model of this example reads ten pages, one a turn, and adds up what they say. What it does outside is written to
/// FILE.outside. If it is killed, the next launch goes on with the first turn that has no result. With `--answers` only
/// N requests of a launch are answered.
@main
struct AgentApp {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that main throws ends the program with a backtrace.
            FileHandle.standardError.write(Data("agent: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        if arguments.first == "journal" {
            // Never called: a replay starts no effect.
            let services = Services(think: { _, _ in .answer("") }, call: { _, _, _ in "" })
            let machines = [ReplayMachine(agent, environment: services)]
            await ReplayTool(program: "agent journal", machines: machines).main(Array(arguments.dropFirst()))
        }
        guard let options = Options(arguments) else {
            print(Options.usage)
            exit(64)
        }
        let journal = try Journal(path: options.journal)
        let outside = try Outside(path: options.journal + ".outside", answers: options.answers)
        let store = try await journal.open(agent, stream: "research", environment: outside.services)
        if let question = options.question,
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
}

private struct Options {
    static let usage =
        "Usage: agent --journal FILE [--answers N] [QUESTION]\n       agent journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var answers = Int.max
    var question: String?

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--journal":
                guard let path = words.popFirst() else { return nil }
                journal = path
            case "--answers":
                guard let count = words.popFirst().flatMap(Int.init), count >= 0 else { return nil }
                answers = count
            default:
                guard question == nil else { return nil }
                question = word
            }
        }
        if journal.isEmpty { return nil }
    }
}
