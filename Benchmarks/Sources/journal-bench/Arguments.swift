/// The options of the command line.
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

          --quick           do a tenth of the work in three rounds, to check that everything runs
          --long            measure only the rows that take minutes
          --rounds N        measure each row N times (5)
          --runs N          measure the whole table N times, with a column for each (1)
          --only TEXT       measure only the rows with this text in their name
          --directory DIR   create the databases in this folder, and remove them again (this package's .build)
          --json            print one JSON object per row instead of the table
          --markdown FILE   write the table and the machine to a file as well
          -h, --help        print this text

        """

    /// - Returns: nil if help was requested.
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

    /// The command line that repeats this measurement.
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
