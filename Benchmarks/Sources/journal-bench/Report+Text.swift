extension Report {
    var text: String {
        "\(table.text)\n\(legend)\n\(setting.machine.description)\n"
    }

    /// The document that is checked in.
    var markdown: String {
        """
        # Results

        Made by `\(setting.command)`;
        README.md explains the rows. Compare the ratios: the rates are those of one machine on one day.

        \(table.markdown)
        \(legend)

        \(setting.machine.description)

        """
    }

    private var legend: String {
        let runs = setting.runs == 1 ? "" : "\(setting.runs) runs of everything, each of "
        let rounds = setting.rounds == 1 ? "1 round" : "\(setting.rounds) rounds"
        return "\(runs)\(rounds)\(setting.isQuick ? ", a tenth of the work" : ""); medians. "
            + "The result is the median of the rounds' ratios library / floor: for rates a fraction, for times a "
            + "multiple. Without a floor it is the number itself. Least and most are of single rounds."
            + (otherWork.map { " Others used \(NumberText.decimal($0 * 100, 0)) % of the machine meanwhile." } ?? "")
            + " Everything took \(NumberText.grouped(seconds)) s."
    }

    private var table: Table {
        let hasMemory = lines.contains { $0.findings.contains { $0.peakBytes != nil } }
        let runs = setting.runs == 1 ? ["result"] : (1...setting.runs).map { "run \($0)" }
        var table = Table(
            header: ["row", "library", "floor"] + runs + ["least", "most"] + (hasMemory ? ["memory"] : [])
                + ["target", ""])
        for line in lines { table.rows.append(cells(of: line, hasMemory: hasMemory)) }
        return table
    }

    private func cells(of line: Line, hasMemory: Bool) -> [String] {
        let first = line.findings[0]
        let floors = line.findings.compactMap(\.floor?.median)
        var cells = [
            line.name, first.unit.text(Spread(line.findings.map(\.library.median)).median),
            floors.isEmpty ? "–" : first.unit.text(Spread(floors).median),
        ]
        cells += line.findings.map { $0.judgedText($0.judged.median) }
        cells.append(first.judgedText(line.findings.map(\.judged.least).min() ?? 0))
        cells.append(first.judgedText(line.findings.map(\.judged.most).max() ?? 0))
        if hasMemory {
            cells.append(line.findings.compactMap(\.peakBytes).max().map { Unit.memory.text(Double($0)) } ?? "–")
        }
        return cells + [line.row.target?.text(first.judgedText) ?? "–", verdict(line)]
    }

    private func verdict(_ line: Line) -> String {
        guard let meeting = line.runsThatMeet else { return "" }
        if meeting == line.findings.count { return "met" }
        return setting.runs == 1 ? "MISSED" : "MISSED in \(line.findings.count - meeting) of \(line.findings.count)"
    }
}
