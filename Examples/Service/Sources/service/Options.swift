/// The command line.
struct Options {
    static let usage =
        "Usage: service --journal FILE [--port N] [--timeout SECONDS] [--connections N]"
        + " [--charge SECONDS] [--answer SECONDS]\n       service journal COMMAND [OPTIONS] FILE"

    var journal = ""
    var port: UInt16 = 8080
    var limits = Limits()
    /// How long the bank takes to charge, and then to answer.
    var pauses = (charge: Duration.milliseconds(50), answer: Duration.zero)

    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { return nil }
            let number = Double(value).flatMap { $0 >= 0 && $0 < 1e6 ? $0 : nil }
            switch (word, number) {
            case ("--journal", _): journal = value
            case ("--port", let number?):
                guard let port = UInt16(exactly: number) else { return nil }
                self.port = port
            case ("--timeout", let seconds?): limits.time = .seconds(seconds)
            case ("--connections", let number?): limits.connections = max(1, Int(number))
            case ("--charge", let seconds?): pauses.charge = .seconds(seconds)
            case ("--answer", let seconds?): pauses.answer = .seconds(seconds)
            default: return nil
            }
        }
        if journal.isEmpty { return nil }
    }
}
