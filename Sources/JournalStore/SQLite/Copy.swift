/// A copy of a journal in one clean file.
enum Copy {
    /// Writes the copy and syncs it. The copy has the owner and mode of the original from the start. A file at `path`,
    /// the rest of an earlier attempt, is deleted first.
    ///
    /// VACUUM INTO writes one file without a WAL and keeps `application_id` and `user_version`; it does not sync.
    /// https://www.sqlite.org/lang_vacuum.html#vacuuminto
    static func make(of connection: Connection, at path: String) throws(DatabaseError) {
        guard remove(path) else { throw DatabaseError.system(Platform.lastError, during: "removing \(path)") }
        let model = connection.file.flatMap { Platform.fileAccess(ofPath: $0) }
        // VACUUM INTO accepts an empty file.
        guard let created = Platform.create(path, like: model) else {
            throw DatabaseError.system(Platform.lastError, during: "creating \(path)")
        }
        Platform.closeFile(created)
        do throws(DatabaseError) {
            try connection.run("VACUUM INTO ?", path)
        } catch {
            remove(path)
            throw error
        }
        guard Platform.sync(path) else {
            let code = Platform.lastError
            remove(path)
            throw DatabaseError.failedSync(code, during: "syncing \(path)")
        }
    }

    /// Removes a copy that could not be completed, and the rollback journal that SQLite leaves beside it if it cannot
    /// roll back.
    ///
    /// - Returns: false with `errno` set if the copy is still there.
    @discardableResult
    static func remove(_ path: String) -> Bool {
        Platform.remove(FileBeside.rollback.path(of: path))
        return Platform.remove(path) || Platform.kind(ofError: Platform.lastError) == .missing
    }
}
