/// A file that is made under another name first, so that what stands under its own name is always whole.
struct NewFile {
    /// The name it gets in the end.
    let target: String
    /// Where it is made: a name that is nobody else's, so that two who make the same file do not undo each other, and nothing of a
    /// person's is in the way. After a kill it stays behind, and can be removed.
    let partial: String
    /// Where what it is made of is made, where that takes two steps.
    let draft: String

    /// - Parameter isJournal: whether what stands beside it would be taken for its own.
    /// - Throws: something stands there, its folder cannot be reached, or the name is taken for files of a journal.
    init(_ path: String, isJournal: Bool = true) throws(JournalError) {
        guard let target = Platform.resolve(path) else {
            let code = Platform.lastError
            throw JournalError(
                .cannotOpen, "Its folder cannot be reached (\(Platform.message(forError: code))).",
                advice: "Check the path; folders are not made.", file: path, underlying: code)
        }
        self.target = target
        let tag = Platform.randomBytes(4).map { String(Int($0) | 0x100, radix: 16).dropFirst() }.joined()
        partial = "\(target)-\(tag)-partial"
        draft = "\(target)-\(tag)-draft"
        let own = ["-wal", "-shm", "-journal", "-lock", "-damaged", "-salvage", "-partial", "-draft"]
        guard !path.hasPrefix(":"), !own.contains(where: target.hasSuffix) else {
            throw JournalError(
                .badArgument, "A new file cannot have this name: files of a journal are called so.",
                advice: "Choose another name.", file: target)
        }
        // An old WAL would be read into a new journal.
        let suffixes = isJournal ? ["", "-wal", "-shm", "-journal", "-lock"] : [""]
        for suffix in suffixes where Platform.status(ofPath: target + suffix) != nil {
            throw NewFile.exists(target + suffix)
        }
    }

    /// Gives it its name. What is there is synced already.
    func giveName() throws(JournalError) {
        guard Platform.moveToFreeName(partial, target) else {
            let code = Platform.lastError
            Platform.remove(partial)
            guard code != Platform.fileExists else { throw NewFile.exists(target) }
            throw JournalError(
                .inputOutput, "The new file could not be given its name (\(Platform.message(forError: code))).",
                file: target, underlying: code)
        }
        guard Platform.sync(Platform.directory(of: target)) else {
            let code = Platform.lastError
            throw JournalError(
                .inputOutput, "The folder could not be synced (\(Platform.message(forError: code))).", file: target,
                underlying: code)
        }
    }

    private static func exists(_ target: String) -> JournalError {
        JournalError(
            .destinationExists, "Something stands there already, and nothing is overwritten.",
            advice: "Choose another name.", file: target)
    }
}
