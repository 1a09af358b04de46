import JournalStore

extension Command {
    /// `import IN OUT`
    static let `import` = Command(
        name: "import",
        summary: "Create a journal from the text that 'export' wrote.",
        discussion: """
            It is the same journal, with the same digests. It is verified and synced before it gets its name: text \
            that is cut off or damaged, or has changed entries, is refused. Nothing is overwritten, no folder created.
            """,
        positionals: [input, .out],
        keys: Transfer.keys.map(\.row),
        work: .free { arguments, output in
            let (source, target) = (arguments[input], try Arguments.newFile(arguments[.out]))
            let report =
                source == "-"
                ? try Journal.importing(to: target, standardInput) : try await Journal.importing(source, to: target)
            let transfer = Transfer(
                source: source == "-" ? nil : Platform.resolve(source) ?? source,
                target: Platform.resolve(target) ?? target, report: report)
            if output.isJSON {
                try output.object(transfer, Transfer.keys)
            } else {
                try output.line("Imported to \(SafeText.escape(transfer.target)): \(transfer.words), verified.")
            }
            warn(ofOmittedSnapshots: report.omittedSnapshots, output)
            return .fine
        })

    private static let input = Positional(name: "IN", help: "The text to read; - for standard input.")

    private static func standardInput() throws -> [UInt8]? {
        guard let bytes = Platform.readSome(System.standardInput, upTo: 1 << 16) else {
            throw InputFailure(code: Platform.lastError)
        }
        return bytes.isEmpty ? nil : bytes
    }
}

/// Standard input could not be read.
struct InputFailure: Error {
    var code: Int32
}
