import Testing

@testable import JournalReplayKit

@Suite struct `Did you mean` {
    private static let commands = ["info", "streams", "log", "effects", "verify", "backup", "help"]

    @Test(arguments: [
        ("lgo", "log"), ("logs", "log"), ("stream", "streams"), ("steams", "streams"), ("verfy", "verify"),
        ("efects", "effects"), ("EFFECTS", "effects"), ("back", "backup"), ("hlep", "help"), ("inof", "info"),
    ])
    func `finds the word for a mistyped one`(word: String, meant: String) {
        #expect(Suggestion.closest(to: word, among: Self.commands) == meant)
    }

    @Test(arguments: ["", "-", "x", "shop.db", "fork", "append"])
    func `suggests nothing if no word is close`(word: String) {
        #expect(Suggestion.closest(to: word, among: Self.commands) == nil)
    }

    @Test func `ignores dashes`() {
        #expect(Suggestion.closest(to: "-json", among: ["--color", "--json"]) == "--json")
    }

    @Test(arguments: [("", "", 0), ("ab", "ba", 1), ("abc", "abd", 1), ("abc", "ac", 1), ("kitten", "sitting", 3)])
    func `counts the letters that differ`(left: String, right: String, distance: Int) {
        #expect(Suggestion.distance(Array(left), Array(right)) == distance)
        #expect(Suggestion.distance(Array(right), Array(left)) == distance)
    }
}
