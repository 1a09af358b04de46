import JournalStore

extension Command {
    /// `answer`: the other side of a ``ReplayChild``.
    static let answer = Command(
        name: ReplayChild.command,
        summary: "Answer the requests of another process of this program.",
        positionals: [],
        options: [Machines.option],
        work: .answering { machines in
            // The other process reports that this one has ended.
            ExitGuard.disarm()
            guard System.reserveOutput() else { throw Output.Failure(code: Platform.lastError) }
            let output = System.standardOutput
            // A reducer that does not end must not outlive the tool, however that one ends.
            System.endWithConnection(output)
            // The app may have printed a part of a line before it called the tool.
            guard write("", to: output) else { return .fine }
            let server = machines.server
            while let request = readLine() {
                server.answer(request) { write($0, to: output) }
                guard write(ReplayChild.endOfAnswers, to: output) else { break }
            }
            return .fine
        })

    /// Written at once: the next step of a reducer can end this process.
    private static func write(_ line: String, to output: Int32) -> Bool {
        Array((line + "\n").utf8).withUnsafeBytes { System.write($0, to: output) } == 0
    }
}
