/// A file that is written under a temporary name first, so that the file under the final name is always complete.
package struct NewFile {
    /// The final path.
    package let target: String
    /// The temporary path. It is unique, so that two processes that make the same file do not disturb each other and no
    /// other file is in the way. It remains after a kill, and can be removed.
    package let partial: String
    /// The path of the intermediate copy, if making the file takes two copies.
    package let draft: String

    /// - Parameter isJournal: whether SQLite would read the files beside it, such as an old WAL, as its own.
    /// - Throws: if the path exists, names no file, its folder cannot be reached, or the name is reserved for the files
    ///   of a journal.
    package init(_ path: String, isJournal: Bool = true) throws(JournalError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw JournalError(.badArgument, "'\(path)' is not a file path.", advice: "Name the file to create.")
        }
        guard let target = Platform.resolve(path) else { throw JournalPath.unresolved(path) }
        self.target = target
        guard Platform.isWritable(folder: Platform.directory(of: target)) else {
            throw JournalError.system(
                .cannotOpen, "No file can be created in its folder", advice: "Choose another folder.", file: target)
        }
        guard Platform.isReadable(folder: Platform.directory(of: target)) else {
            throw JournalError.system(
                .cannotOpen, "Its folder cannot be read, and so cannot be synced", advice: "Choose another folder.",
                file: target)
        }
        let tag = Platform.randomBytes(4).hexadecimal
        partial = FileBeside.partial.path(of: "\(target)-\(tag)")
        draft = FileBeside.draft.path(of: "\(target)-\(tag)")
        try JournalPath.checkIsNotReserved(target)
        guard !path.hasPrefix(":") else {
            throw JournalError(
                .badArgument, "A name that begins with a colon is not one of a file for SQLite.",
                advice: "Choose another name.", file: target)
        }
        if isJournal, let error = JournalPath.tooLong(target, adding: partial.utf8.count - target.utf8.count) {
            throw error
        }
        // SQLite would read an old WAL into the new journal.
        let parts = isJournal ? FileBeside.parts.map { $0.path(of: target) } : []
        for path in [target] + parts where Platform.status(ofPath: path) != nil { throw NewFile.exists(path) }
    }

    /// Renames the file, whose content is synced already, and syncs its folder.
    package func giveName() throws(JournalError) {
        guard Platform.moveToFreeName(partial, target) else {
            let code = Platform.lastError
            Platform.remove(partial)
            guard code != Platform.fileExists else { throw NewFile.exists(target) }
            throw JournalError.system(.inputOutput, "The new file could not be renamed", file: target, number: code)
        }
        guard Platform.sync(Platform.directory(of: target)) else {
            throw JournalError.system(
                .inputOutput, "The folder could not be synced",
                advice:
                    "The file is complete, but a power loss could take it. Remove it, check the disk, and try again.",
                file: target)
        }
    }

    /// An error that came up while the file was made, with its final name in place of a temporary one.
    package func named(_ error: JournalError) -> JournalError {
        changed(error) {
            for temporary in [partial, draft] { $0.message = $0.message.replacing(temporary, with: target) }
            guard error.file == partial || error.file == draft else { return }
            $0.file = target
            if $0.advice == JournalError.adviceForNoRoomWhileOpen { $0.advice = JournalError.adviceForNoRoom }
            if NewFile.isFailedWrite(error) {
                $0.advice = "Check the disk, the limits of this user and the system's log, then try again."
            }
        }
    }

    /// Whether SQLite could not write a file, or it could not be synced.
    static func isFailedWrite(_ error: JournalError) -> Bool {
        error.code == .inputOutput && (error.underlying.map { DatabaseError.failedWrites.contains($0) } ?? false)
    }

    private static func exists(_ target: String) -> JournalError {
        JournalError(
            .destinationExists, "This path already exists, and nothing is overwritten.",
            advice: "Choose another name.", file: target)
    }
}
