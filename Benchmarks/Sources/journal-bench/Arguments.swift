/// What was asked for on the command line.
struct Arguments {
    var rounds: Int?
    var only: String?
    var directory: String?
    var markdown: String?
    var isQuick = false
    var isLong = false
    var printsJSON = false

    static let usage = """
        Usage: journal-bench [--quick] [--long] [--rounds N] [--only TEXT] [--directory DIR] [--json] [--markdown FILE]
        """

    static let help = """
        \(usage)

          --quick           a tenth of the work, three rounds: to see that everything runs
          --long            the rows that take minutes, and only those
          --rounds N        how often each row is measured (5)
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
            case "--rounds":
                guard let number = Int(try value()), number > 0 else {
                    throw .usage("--rounds needs a number above 0.")
                }
                rounds = number
            default: throw .usage("Unknown argument '\(word)'.")
            }
        }
    }

    func wants(_ row: Row) -> Bool {
        only.map { row.name.lowercased().contains($0.lowercased()) } ?? true
    }
}
