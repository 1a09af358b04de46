/// Makes a failing life shorter and plainer, as long as it breaks the same law.
struct Shrinker {
    /// Runs a life; returns the kind of its first finding.
    let run: ([UInt32]) throws -> String?
    let kind: String
    /// How many lives may be tried.
    var budget = 1_500

    private(set) var choices: [UInt32]

    init(_ choices: [UInt32], kind: String, run: @escaping ([UInt32]) throws -> String?) {
        (self.choices, self.kind, self.run) = (choices, kind, run)
    }

    /// Tries shorter sequences first, then plainer ones, until nothing helps any more.
    mutating func shrink() throws {
        var last: [UInt32]
        repeat {
            last = choices
            try cutOff()
            for size in [64, 16, 4, 2, 1] { try change(blocksOf: size) { $0.removeSubrange($1) } }
            for size in [16, 4, 1] {
                try change(blocksOf: size) { choices, block in
                    for index in block { choices[index] = 0 }
                }
            }
            try change(blocksOf: 1) { choices, block in choices[block.lowerBound] /= 2 }
        } while choices != last && budget > 0
    }

    private mutating func cutOff() throws {
        var kept = choices.count / 2
        while kept < choices.count, budget > 0 {
            if try !keep(Array(choices.prefix(kept))) { kept += max(1, (choices.count - kept) / 2) }
        }
    }

    private mutating func change(blocksOf size: Int, _ change: (inout [UInt32], Range<Int>) -> Void) throws {
        var end = choices.count
        while end > 0, budget > 0 {
            let block = max(0, end - size)..<min(end, choices.count)
            var changed = choices
            change(&changed, block)
            end -= size
            if changed != choices { try keep(changed) }
        }
    }

    @discardableResult
    private mutating func keep(_ changed: [UInt32]) throws -> Bool {
        budget -= 1
        guard try run(changed) == kind else { return false }
        choices = changed
        return true
    }
}

/// The kind of a finding: its text without names and numbers.
func kind(of finding: String) -> String {
    finding.split(separator: " ").filter { word in !word.contains { $0.isNumber || $0 == "/" } }.joined(separator: " ")
}
