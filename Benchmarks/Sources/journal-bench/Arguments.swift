/// What was asked for on the command line.
struct Arguments {
    var rounds: Int?
    var runs = 1
    var only: String?
    var directory: String?
    var markdown: String?
    var isQuick = false
    var isLong = false
    var printsJSON = false

    static let usage = """
        Usage: journal-bench [--quick] [--long] [--rounds N] [--runs N] [--only TEXT]
                             [--directory DIR] [--json] [--markdown FILE]
        """

    static let help = """
        \(usage)

          --quick           a tenth of the work, three rounds: to see that everything runs
          --long            the rows that take minutes, and only those
          --rounds N        how often each row is measured (5)
          --runs N          how often the whole table is measured, one after the other; each has a column (1)
          --only TEXT       only the rows with this text in their name
          --directory DIR   where the databases are made, and removed again (this package's .build)
          --json            one JSON object a row, instead of the table
          --markdown FILE   write the table and the machine to a file as well
          -h, --help        this text

        """

    /// - Returns: nil where help was asked for.
    init?(_ words: some Sequence<String>) throws(BenchError) {
        var words = words.makeIterator()
        while let word = words.next() {
            func value() throws(BenchError) -> String {
                guard let value = words.next() else { throw .usage("\(word) needs a value.") }
                return value
            }
            switch word {
            case "-h", "--help": return nil
            case "--quick": isQuick = true
            case "--long": isLong = true
            case "--json": printsJSON = true
            case "--only": only = try value()
            case "--directory": directory = try value()
            case "--markdown": markdown = try value()
            case "--rounds": rounds = try Self.count(of: word, value())
            case "--runs": runs = try Self.count(of: word, value())
            default: throw .usage("Unknown argument '\(word)'.")
            }
        }
    }

    private static func count(of option: String, _ text: String) throws(BenchError) -> Int {
        guard let number = Int(text), number > 0 else { throw .usage("\(option) needs a number above 0.") }
        return number
    }

    /// The command line, as whoever wants to make the same again types it.
    var command: String {
        var words = ["swift run -c release --package-path Benchmarks journal-bench"]
        if isQuick { words.append("--quick") }
        if isLong { words.append("--long") }
        if let rounds { words.append("--rounds \(rounds)") }
        if runs > 1 { words.append("--runs \(runs)") }
        if let only { words.append("--only '\(only)'") }
        if let markdown { words.append("--markdown \(markdown)") }
        return words.joined(separator: " ")
    }

    func wants(_ row: Row) -> Bool {
        only.map { row.name.lowercased().contains($0.lowercased()) } ?? true
    }
}
