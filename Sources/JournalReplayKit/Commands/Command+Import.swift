import JournalStore

extension Command {
    /// `import IN OUT`
    static let `import` = Command(
        name: "import",
        summary: "Make a journal of what 'export' wrote.",
        discussion: """
            It is the same journal, with the same digests. It is verified and on the disk before it gets its name: text \
            that is cut off, damaged or changed in its entries makes none. Nothing is overwritten, and no folder is made.
            """,
        positionals: [input, .out],
        keys: Transfer.keys.map(\.row),
        work: .free { arguments, output in
            let (source, target) = (arguments[input], arguments[.out])
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
            return .fine
        })

    private static let input = Positional(name: "IN", help: "The text to be read; - for standard input.")

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
