/// A word of a command that an advice shows, as the shell must get it: the name of a file or a stream can contain
/// anything.
package enum ShellWord {
    /// The text itself if the shell reads it as one word, otherwise in quotes.
    package static func quoted(_ text: String) -> String {
        // https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
        guard text.isEmpty || !text.utf8.allSatisfy(isPlain) else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
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
