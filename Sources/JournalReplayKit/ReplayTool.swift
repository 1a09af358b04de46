/// The command-line tool that reads journals.
///
/// An app can carry it inside itself, with its machines:
///
/// ```swift
/// let tool = ReplayTool(program: "shop journal", machines: [ReplayMachine(cart, environment: .stub)])
/// await tool.main(arguments)
/// ```
public struct ReplayTool: Sendable {
    /// The version that `--version` shows.
    public static let version = "0.1.0-dev"

    let table: CommandTable
    private let machines: [ReplayMachine]

    /// A tool with all commands.
    ///
    /// - Parameters:
    ///   - program: what people type to call it, as its help and its errors say.
    ///   - machines: those by which it can replay streams. Others are loaded from libraries, with `--machine`.
    public init(program: String = "journal-replay", machines: [ReplayMachine] = []) {
        self.machines = machines
        table = CommandTable(
            program: program, summary: "Reads a journal of state machines: what happened, and what came of it.",
            commands: [
                .info, .streams, .log, .show, .state, .diff, .bisect, .walk, .effects, .showEffect, .verify, .snapshots,
                .snapshot, .cancel, .retry, .release, .skip, .backup, .fork, .export, .import, .prune, .migrate, .help,
            ],
            common: [Flag.json, ColorChoice.option],
            global: [Flag.version, Shell.option, Flag.help])
    }

    /// Runs the tool on the arguments of this process, and ends the process.
    public func main() async -> Never {
        await main(Array(CommandLine.arguments.dropFirst()))
    }

    /// Runs the tool, and ends the process.
    ///
    /// - Parameter arguments: the words behind those by which the app knew that the tool was meant.
    public func main(_ arguments: [String]) async -> Never {
        System.endWithClosedPipe()
        System.exit(await run(arguments))
    }

    /// Runs one command. Data goes to standard output, everything else to standard error.
    ///
    /// - Parameter arguments: the words behind the program's name.
    /// - Returns: the status to exit with; 0 where all went well.
    public func run(_ arguments: [String]) async -> Int32 {
        await Run(table: table, machines: machines).run(arguments).rawValue
    }
}
