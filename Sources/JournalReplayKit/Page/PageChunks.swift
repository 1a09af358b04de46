import JournalStore

/// Writes the data of a page, chunk by chunk: compressed, in base64, each in an element that is neither shown nor run.
final class PageChunks {
    enum Kind: String {
        /// Where, when and how: the columns of some steps.
        case steps
        /// The actions of the same steps, and what else is text.
        case texts
        case runs
        case runTexts = "run-texts"
        /// The states of some steps of one stream.
        case states
    }

    private let file: ByteFile

    init(_ file: consuming ByteFile) {
        self.file = file
    }

    func add(_ kind: Kind, _ bytes: [UInt8], note: String = "") throws(JournalError) {
        try file.write(PageChunks.element(" data-chunk=\"\(kind.rawValue)\" data-note=\"\(note)\"", bytes) + [0x0A])
    }

    /// - Parameter attributes: the element's attributes, which must not contain anything from a journal.
    static func element(_ attributes: String, _ bytes: [UInt8]) -> [UInt8] {
        Array("<script type=\"application/octet-stream\"\(attributes)>".utf8) + Base64.encode(Deflate.compress(bytes))
            + Array("</script>".utf8)
    }
}
