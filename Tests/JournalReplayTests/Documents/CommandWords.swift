/// The words of a command line, as a shell splits them; and only those of its first command.
struct CommandWords {
    private(set) var words: [String] = []

    init(_ line: String) {
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let ended = word { words.append(ended) }
                word = nil
            } else if ["|", ";", "&", ">"].contains(character) || (character == "#" && word == nil) {
                break
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
    }

    /// The words after the tool's name, if the line calls the tool or an app that contains it.
    var ofTheTool: [String]? {
        var rest = words[...]
        while let first = rest.first, first.contains("="), !first.hasPrefix("-") { rest.removeFirst() }
        if rest.starts(with: ["swift", "run"]) { rest = rest.dropFirst(2).drop { $0.hasPrefix("-") } }
        if rest.first == "journal-replay" { return Array(rest.dropFirst()) }
        if rest.first != "for", rest.dropFirst().first == "journal" { return Array(rest.dropFirst(2)) }
        return nil
    }
}
