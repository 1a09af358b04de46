import JournalStore

/// The file that a server shows. Another file under its name is another journal: nothing is read from it, and nothing
/// is done to it.
struct ServedFile: Sendable {
    private let path: String
    private let identity: FileIdentity?

    init(_ path: String) {
        (self.path, identity) = (path, Platform.status(ofPath: path)?.identity)
    }

    /// - Throws: ``JournalError`` if the file was replaced.
    func check() throws(JournalError) {
        guard let now = Platform.status(ofPath: path)?.identity, now != identity else { return }
        throw JournalError(
            .fenced, "Another file has this name now.", advice: "End this server, and start it again.", file: path)
    }
}
