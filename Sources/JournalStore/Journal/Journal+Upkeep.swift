/// What a pruning did.
public struct PruneReport: Hashable, Sendable {
    /// The step whose snapshot stands in for what was removed.
    public var base: Int
    /// How many entries were removed.
    public var removedEntries: Int
    /// How many entries up to the base stay, because running effects still need them.
    public var keptEntries: Int
}

extension Journal {
    /// Removes the entries of a stream before a step, as far as a snapshot stands in for them. That snapshot becomes a base.
    ///
    /// Never removed: what a running effect still needs, what is not settled, the IDs of dispatches. One transaction: all of
    /// it or nothing.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay.
    /// - Throws: ``JournalError``: there is no snapshot before that step, or it does not belong to the entry it names.
    @discardableResult
    public func prune(_ name: String, before step: Int) async throws(JournalError) -> PruneReport {
        try await writer.alone { state throws(JournalError) in try state.prune(name, before: step) }
    }

    /// Removes a snapshot that only saves time. A base stays.
    ///
    /// - Throws: ``JournalError``: there is no such snapshot, or it is more than a cache.
    public func dropSnapshot(of name: String, at step: Int) async throws(JournalError) {
        try await writer.alone { state throws(JournalError) in try state.dropSnapshot(of: name, at: step) }
    }

    /// Copies the journal, as it is at this moment, into one new file, while it is written. The copy is read back, verified
    /// and synced before it gets its name.
    ///
    /// The WAL grows while the copy is made: it is the one long read.
    ///
    /// - Parameter path: where to; nothing may stand there.
    /// - Throws: ``JournalError``: something stands there, the disk is full, or the copy does not verify.
    public func backup(to path: String) async throws(JournalError) {
        guard file != nil else {
            // The one connection of a journal in memory is the writer's.
            let target = try Backup.target(path)
            try await writer.alone { state throws(JournalError) in
                let database = try state.usable()
                try Backup(original: nil, target: target).run { partial throws(JournalError) in
                    try JournalError.at(nil, "copying to \(target)") { () throws(DatabaseError) in
                        try Copy.make(of: database.connection, at: partial)
                    }
                }
            }
            return
        }
        try await reader.backup(to: path)
    }
}

extension JournalReader {
    /// Copies the journal into one new file: see ``Journal/backup(to:)``.
    ///
    /// - Parameter path: where to; nothing may stand there.
    /// - Throws: ``JournalError`` as there.
    @concurrent
    public func backup(to path: String) async throws(JournalError) {
        let target = try Backup.target(path)
        if let missing = try missingEntries() { throw missing }
        try Backup(original: file, target: target).run { partial throws(JournalError) in
            try copy(to: partial)
        }
    }
}

/// Makes a copy under another name first, so that what stands under its own name is always whole.
private struct Backup {
    let original: String?
    let target: String

    static func target(_ path: String) throws(JournalError) -> String {
        guard let target = Platform.resolve(path) else {
            let code = Platform.lastError
            throw JournalError(
                .cannotOpen, "Its folder cannot be reached (\(Platform.message(forError: code))).",
                advice: "Check the path; folders are not made.", file: path, underlying: code)
        }
        let own = ["-wal", "-shm", "-journal", "-lock", "-damaged", "-salvage", "-partial"]
        guard !path.hasPrefix(":"), !own.contains(where: target.hasSuffix) else {
            throw JournalError(
                .badArgument, "A backup cannot have this name: files of a journal are called so.",
                advice: "Choose another name.", file: target)
        }
        // What stands beside it would be taken for the backup's own: an old WAL would be read into it.
        for suffix in ["", "-wal", "-shm", "-journal", "-lock"] where Platform.status(ofPath: target + suffix) != nil {
            throw exists(target + suffix)
        }
        return target
    }

    private static func exists(_ target: String) -> JournalError {
        JournalError(
            .destinationExists, "Something stands there already; a backup overwrites nothing.",
            advice: "Choose another name.", file: target)
    }

    func run(_ copy: (String) throws(JournalError) -> Void) throws(JournalError) {
        let partial = target + "-partial"
        try copy(partial)
        try Copy.verify(partial, original: original)
        guard Platform.moveToFreeName(partial, target) else {
            let code = Platform.lastError
            Platform.remove(partial)
            guard code != Platform.fileExists else { throw Backup.exists(target) }
            throw JournalError(
                .inputOutput, "The copy could not be given its name (\(Platform.message(forError: code))).",
                file: target, underlying: code)
        }
        guard Platform.sync(Platform.directory(of: target)) else {
            let code = Platform.lastError
            throw JournalError(
                .inputOutput, "The folder could not be synced (\(Platform.message(forError: code))).", file: target,
                underlying: code)
        }
    }
}
