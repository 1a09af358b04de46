import Foundation

/// All findings, for people and for programs.
struct Report {
    private let machine: Computer
    private let rounds: Int
    private let isQuick: Bool
    /// How much of the machine others used: see ``OtherWork``.
    var otherWork: Double?
    private var lines: [(row: Row, finding: Finding)] = []

    init(machine: Computer, rounds: Int, isQuick: Bool) {
        self.machine = machine
        self.rounds = rounds
        self.isQuick = isQuick
    }

    mutating func add(_ finding: Finding, of row: Row) {
        lines.append((row, finding))
    }

    var meetsTargets: Bool { lines.allSatisfy { $0.finding.meetsTarget } }

    var text: String {
        "\(table.text)\n\(legend)\n\(machine.description)\n"
    }

    /// What is checked in.
    var markdown: String {
        """
        # Results

        Made by `swift run -c release --package-path Benchmarks journal-bench --markdown Benchmarks/RESULTS.md`;
        README.md says what the rows mean. Compare the ratios: the rates are those of one machine on one day.

        \(table.markdown)
        \(legend)
        \(machine.description)

        """
    }

    private var legend: String {
        "Medians of \(rounds) rounds\(isQuick ? ", a tenth of the work" : ""). "
            + "Ratio: library / floor, the median of the rounds' own ratios; 1 is plain SQLite."
            + (otherWork.map { " Others used \(decimal($0 * 100, 0)) % of the machine meanwhile." } ?? "")
    }

    private var table: Table {
        var table = Table(header: ["row", "library", "floor", "ratio", "least", "most"])
        for (row, finding) in lines {
            switch finding {
            case .comparison(let library, let floor, let ratio):
                table.rows.append([
                    row.name, grouped(library.median) + "/s", grouped(floor.median) + "/s", decimal(ratio.median, 2),
                    decimal(ratio.least, 2), decimal(ratio.most, 2),
                ])
            case .time(let time):
                table.rows.append([
                    "\(row.name), \(grouped(Double(entries(of: row)))) entries", milliseconds(time.median), "–", "–",
                    milliseconds(time.least), milliseconds(time.most),
                ])
            case .process(let time, let peak):
                table.rows.append([
                    "\(row.name), \(grouped(Double(entries(of: row)))) entries", milliseconds(time.median),
                    "\(decimal(Double(peak) / 1_048_576, 0)) MB", "–", milliseconds(time.least),
                    milliseconds(time.most),
                ])
            case .size(let bytes, let target):
                table.rows.append([
                    row.name, decimal(bytes, 1), "≤ \(decimal(target, 0))", finding.meetsTarget ? "met" : "missed", "–",
                    "–",
                ])
            }
        }
        return table
    }

    /// One object a line. Rates in entries a second, times in milliseconds.
    var json: String {
        lines.map { row, finding in
            let start = #"{"row":"\#(row.name)","entries":\#(entries(of: row)),"rounds":\#(rounds),"#
            let rest =
                switch finding {
                case .comparison(let library, let floor, let ratio):
                    #""library":\#(decimal(library.median, 0)),"floor":\#(decimal(floor.median, 0)),"#
                        + #""ratio":\#(decimal(ratio.median, 3)),"least":\#(decimal(ratio.least, 3)),"#
                        + #""most":\#(decimal(ratio.most, 3))}"#
                case .time(let time):
                    #""milliseconds":\#(decimal(time.median * 1_000, 3)),"least":\#(decimal(time.least * 1_000, 3)),"#
                        + #""most":\#(decimal(time.most * 1_000, 3))}"#
                case .process(let time, let peak):
                    #""milliseconds":\#(decimal(time.median * 1_000, 3)),"least":\#(decimal(time.least * 1_000, 3)),"#
                        + #""most":\#(decimal(time.most * 1_000, 3)),"peakBytes":\#(peak)}"#
                case .size(let bytes, let target):
                    #""bytes":\#(decimal(bytes, 1)),"target":\#(decimal(target, 0)),"met":\#(finding.meetsTarget)}"#
                }
            return start + rest + "\n"
        }.joined()
    }

    private func entries(of row: Row) -> Int { isQuick ? row.entries / 10 : row.entries }

    private func milliseconds(_ seconds: Double) -> String { decimal(seconds * 1_000, 1) + " ms" }

    /// The same in every language, as programs and diffs read it.
    private func decimal(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    private func grouped(_ value: Double) -> String {
        let digits = Array(decimal(value, 0))
        return digits.indices.map { index in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digits[index])" : "\(digits[index])"
        }.joined()
    }
}
