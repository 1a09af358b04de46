extension Report {
    /// One object per line for each row of each run. Rates are in entries per second, times in seconds, sizes in bytes.
    var json: String {
        lines.flatMap { line in
            line.findings.enumerated().map { run, finding in object(line, run + 1, finding) + "\n" }
        }.joined()
    }

    private func object(_ line: Line, _ run: Int, _ finding: Finding) -> String {
        var members = [
            #""row":"\#(line.name)""#, #""run":\#(run)"#, #""entries":\#(entries(of: line.row))"#,
            #""rounds":\#(setting.rounds)"#, #""unit":"\#(finding.unit.rawValue)""#,
            #""library":\#(number(finding.library.median))"#,
        ]
        if let floor = finding.floor { members.append(#""floor":\#(number(floor.median))"#) }
        if let ratio = finding.ratio { members.append(#""ratio":\#(number(ratio.median))"#) }
        members += [
            #""least":\#(number(finding.judged.least))"#, #""most":\#(number(finding.judged.most))"#,
        ]
        if let peak = finding.peakBytes { members.append(#""peakBytes":\#(peak)"#) }
        if let target = line.row.target {
            switch target {
            case .atLeast: members.append(#""atLeast":\#(number(target.bound))"#)
            case .atMost: members.append(#""atMost":\#(number(target.bound))"#)
            }
            members.append(#""met":\#(target.isMet(by: finding.judged.median))"#)
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Precise enough for microseconds, short enough for millions of entries.
    private func number(_ value: Double) -> String { NumberText.decimal(value, value < 1_000 ? 6 : 0) }
}
