extension Model {
    /// A dispatch returned the first state with so many actions.
    struct Wait {
        var count: Int
        var name: String
        var score: Score
    }

    mutating func waited(for count: Int, after name: String, got score: Score) {
        waits.append(Wait(count: count, name: name, score: score))
    }

    /// All entries were read. Only a machine of one version has one state after each step.
    func checkWaits() -> String? {
        for wait in waits {
            guard let dispatch = dispatches[wait.name], let step = dispatch.step, let stream = streams[dispatch.stream]
            else { return "\(wait.name) was not appended, and led to \(wait.score)" }
            // It may have seen the states before a step was skipped.
            if dispatch.skips != stream.skips { continue }
            let expected = stream.scores.dropFirst(step).first { $0.count >= wait.count }
            if stream.rules == 1, expected?.count != wait.score.count || expected?.digest != wait.score.digest {
                return "\(wait.name) led to \(wait.score), and the first state is \(expected, default: "none")"
            }
        }
        return nil
    }
}
