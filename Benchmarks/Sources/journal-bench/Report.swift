/// All findings, for people and for programs.
struct Report {
    /// The results of one number of a row, run by run.
    struct Line {
        let name: String
        let row: Row
        var findings: [Finding]

        /// The number of runs that meet the target; nil if there is no target.
        var runsThatMeet: Int? {
            row.target.map { target in findings.count { target.isMet(by: $0.judged.median) } }
        }
    }

    let setting: Setting
    /// How much of the machine other processes used: see ``OtherWork``.
    var otherWork: Double?
    /// The total time, in seconds.
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

    /// Whether every run meets all targets.
    var meetsTargets: Bool { lines.allSatisfy { $0.runsThatMeet == nil || $0.runsThatMeet == $0.findings.count } }

    func entries(of row: Row) -> Int { setting.isQuick ? row.entries / 10 : row.entries }
}

extension Report {
    /// How the numbers were measured.
    struct Setting {
        var machine: Computer
        var rounds: Int
        var runs: Int
        var isQuick: Bool
        /// The command that makes the same table again.
        var command: String
    }
}
