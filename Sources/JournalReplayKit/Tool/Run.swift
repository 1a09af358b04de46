import JournalStore

/// One invocation of the tool: opens the journal that a command reads, and turns errors into messages and exit codes.
struct Run {
    let table: CommandTable
    /// The machines of the app that embeds the tool.
    var machines: [ReplayMachine] = []
    /// Writes to standard output and standard error.
    var writer: (UnsafeRawBufferPointer, Int32) -> Int32 = System.write

    func run(_ line: [String]) async -> ExitCode {
        var output = Output(tool: table.tool, writer: writer)
        var isVerifying = false
        do {
            if let word = line.first(where: System.isMisread) {
                throw UsageError("The argument '\(word)' is not valid UTF-8.")
            }
            let request = try Parser.parse(line, table)
            if case .run(let command, let arguments) = request {
                if command.isInteractive, arguments[Flag.json] {
                    throw UsageError("'\(command.name)' needs a person at a terminal, and has no '--json'.")
                }
                isVerifying = command.name == Command.verify.name
                output = Output(
                    tool: table.tool, isJSON: arguments[Flag.json], color: arguments[ColorChoice.option] ?? .auto,
                    writer: writer)
            }
            let code = try await answer(request, output)
            try output.flush()
            return code
        } catch let error as JournalError where isVerifying {
            return complain(error.verified(canBeRead: false), output)
        } catch {
            return complain(error, output)
        }
    }

    /// The tool cannot run here.
    func refuse(_ error: JournalError) -> ExitCode { complain(error, Output(tool: table.tool, writer: writer)) }

    private func answer(_ request: Request, _ output: Output) async throws -> ExitCode {
        let help = Help(table: table)
        switch request {
        case .help(let command): try output.lines(command.map(help.page) ?? help.overview)
        case .version: try output.line("\(table.program) \(ReplayTool.version)")
        case .completionScript(let shell): try output.lines(CompletionScript(table: table).lines(for: shell))
        case .manPage: try output.lines(ManPage(table: table).lines)
        case .run(let command, let arguments):
            switch command.work {
            case .reading(let work): return try await read(command, arguments, output, work)
            case .replaying(let work):
                return try await read(command, arguments, output) { arguments, reader, output in
                    let progress = Progress()
                    defer { progress.end() }
                    let machines = try Machines(
                        own: machines, libraries: arguments.all(Machines.option), progress: progress)
                    CrashReport.install(file: arguments[.file])
                    defer { CrashReport.remove() }
                    return try await work(arguments, reader, output, machines)
                }
            case .answering(let work):
                return try await work(Machines(own: machines, libraries: arguments.all(Machines.option)))
            case .free(let work):
                do { return try await work(arguments, output) } catch var error as UsageError {
                    error.command = command.name
                    throw error
                }
            case .help:
                let topic = arguments[Command.topic]
                guard !topic.isEmpty else { return try await answer(.help(nil), output) }
                guard let command = table.command(topic) else { throw table.unknownCommand(topic) }
                return try await answer(.help(command), output)
            }
        }
        return .fine
    }

    private func read(
        _ command: Command, _ arguments: Arguments, _ output: Output,
        _ work: (Arguments, JournalReader, Output) async throws -> ExitCode
    ) async throws -> ExitCode {
        let reader = try JournalReader(path: arguments[.file])
        // Warn about missing entries: the output would look complete without them. If the journal is too damaged for
        // this check, the command itself reports the damage.
        if !Run.reportsMissingEntries(command, arguments), let missing = try? reader.missingEntries() {
            output.warning(missing.description)
        }
        do {
            return try await work(arguments, reader, output)
        } catch var error as UsageError {
            error.command = command.name
            throw error
        } catch var error as JournalError where error.code == .unknownStream {
            let names = (try? reader.streams().map(\.name)) ?? []
            if let name = error.stream.flatMap({ Suggestion.closest(to: $0, among: names) }) {
                // As the shell must get it: an escape that the output shows is not the name.
                let word = ShellWord.quoted(name)
                error.advice = "Did you mean \(word == name ? "'\(name)'" : word)? \(error.advice)"
            }
            throw error
        }
    }

    /// Whether a command itself tells of missing entries: `verify` in its report of the file, `backup` and `fork` as
    /// their error.
    private static func reportsMissingEntries(_ command: Command, _ arguments: Arguments) -> Bool {
        switch command.name {
        case Command.verify.name: !arguments[Command.replayOnly]
        case Command.backup.name, Command.fork.name: true
        default: false
        }
    }

    private func complain(_ error: any Error, _ output: Output) -> ExitCode {
        switch error {
        case let error as UsageError:
            output.error(error.description, error.picture + Help(table: table).hint(for: error.command))
            return .usage
        case let error as JournalError:
            output.error(error.description)
            return ExitCode(error)
        case let error as Output.Failure:
            guard error.code != System.brokenPipe else { return .closedPipe }
            output.error("The output cannot be written (\(Platform.message(forError: error.code))).")
            return .inputOutput
        case let error as InputFailure:
            output.error("The input cannot be read (\(Platform.message(forError: error.code))).")
            return .inputOutput
        default:
            output.error("\(error)")
            return .failed
        }
    }
}
