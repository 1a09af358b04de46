/// A word of a command that an advice shows, as the shell must get it: the name of a file or a stream can contain
/// anything.
package enum ShellWord {
    /// The text itself if the shell reads it as one word, otherwise in quotes.
    package static func quoted(_ text: String) -> String {
        // https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
        guard text.isEmpty || !text.utf8.allSatisfy(isPlain) else { return text }
        if text.unicodeScalars.contains(where: \.isUnsafe) { return escaped(text) }
        return "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }

    /// An error escapes what is unsafe on a terminal, and the shell reads such an escape only inside `$'…'`.
    private static func escaped(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\", "'": "\\\(scalar)"
            case "\n": #"\n"#
            case _ where scalar.isUnsafe: String(scalar).utf8.map(octal).joined()
            default: String(scalar)
            }
        }
        return "$'" + scalars.joined() + "'"
    }

    /// Three digits, so that a digit after them is not part of the escape.
    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return #"\"# + String(repeating: "0", count: 3 - digits.count) + digits
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-./:@%+=,".utf8.contains(byte)
        }
    }
}
