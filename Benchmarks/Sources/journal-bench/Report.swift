/// All findings, for people and for programs.
struct Report {
    /// What one number of a row came to, run by run.
    struct Line {
        let name: String
        let row: Row
        var findings: [Finding]

        /// Nil where there is no target.
        var runsThatMeet: Int? {
            row.target.map { target in findings.count { target.isMet(by: $0.judged.median) } }
        }
    }

    let setting: Setting
    /// How much of the machine others used: see ``OtherWork``.
    var otherWork: Double?
    /// How long everything took, in seconds.
    var seconds = 0.0
    private(set) var lines: [Line] = []

    init(_ setting: Setting) {
        self.setting = setting
    }

    mutating func add(_ findings: [Finding], of row: Row) {
        for finding in findings {
            let name = finding.aspect.map { "\(row.name), \($0)" } ?? row.name
            if let index = lines.firstIndex(where: { $0.name == name }) {
                lines[index].findings.append(finding)
            } else {
                lines.append(Line(name: name, row: row, findings: [finding]))
            }
        }
    }

    /// In each run.
    var meetsTargets: Bool { lines.allSatisfy { $0.runsThatMeet == nil || $0.runsThatMeet == $0.findings.count } }

    func entries(of row: Row) -> Int { setting.isQuick ? row.entries / 10 : row.entries }
}

extension Report {
    /// How the numbers came about.
    struct Setting {
        var machine: Computer
        var rounds: Int
        var runs: Int
        var isQuick: Bool
        /// What makes the same table again.
        var command: String
    }
}
