import JournalStore

/// The command-line tool for journals.
///
/// An app can embed the tool, together with its machines:
///
/// ```swift
/// let tool = ReplayTool(program: "shop journal", machines: [ReplayMachine(cart, environment: .stub)])
/// await tool.main(arguments)
/// ```
public struct ReplayTool: Sendable {
    /// The version that `--version` shows.
    public static let version: String = LibraryVersion.text

    let table: CommandTable
    private let machines: [ReplayMachine]

    /// Creates a tool with all commands.
    ///
    /// - Parameters:
    ///   - program: The command that people type to call the tool; help and error messages show it.
    ///   - machines: The machines whose streams the tool can replay. `--machine` loads further ones from libraries.
    public init(program: String = "journal-replay", machines: [ReplayMachine] = []) {
        self.machines = machines
        table = CommandTable(
            program: program, summary: "Inspect, replay, verify and maintain a journal of state machines.",
            commands: [
                .info, .streams, .log, .show, .state, .diff, .bisect, .bisectRun, .walk, .effects, .showEffect, .find,
                .verify,
                .snapshots, .snapshot, .cancel, .retry, .release, .skip, .interventions, .top, .page, .serve, .diagram,
                .backup,
                .fork,
                .export, .import, .prune, .migrate, .help,
            ],
            hidden: [.answer],
            common: [Flag.json, ColorChoice.option],
            global: [Flag.version, Shell.option, Flag.manPage, Flag.help])
    }

    /// Runs the tool with the arguments of this process, and exits the process.
    public func main() async -> Never {
        await main(Array(CommandLine.arguments.dropFirst()))
    }

    /// Runs the tool, and exits the process.
    ///
    /// - Parameter arguments: The command-line arguments after those with which the app selected the tool.
    public func main(_ arguments: [String]) async -> Never {
        System.openStandardStreams()
        System.endWithClosedPipe()
        System.endWithQuit()
        System.surviveLongFiles()
        guard System.startRuntime() else { System.exit(Run(table: table).refuse(.tooFewFiles).rawValue) }
        // A reducer can print. If no descriptor is left, that goes between the data.
        System.reserveOutput()
        ExitGuard.arm()
        System.exit(await run(arguments))
    }

    /// Runs one command. Data goes to standard output, everything else to standard error.
    ///
    /// What a reducer prints goes between the data, and a reducer that calls `exit` ends the process with that status. With
    /// ``main(_:)``, prints go to standard error, and such an exit is an error.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code; 0 if the command succeeded.
    public func run(_ arguments: [String]) async -> Int32 {
        await Run(table: table, machines: machines).run(arguments).rawValue
    }
}
