/// A copy of a journal in one clean file.
enum Copy {
    /// Writes the copy and syncs it. A file at `path`, the rest of an earlier attempt, is deleted first.
    ///
    /// VACUUM INTO writes one file without a WAL and keeps `application_id` and `user_version`; it does not sync.
    /// https://www.sqlite.org/lang_vacuum.html#vacuuminto
    static func make(of connection: Connection, at path: String) throws(DatabaseError) {
        Platform.remove(path)
        do throws(DatabaseError) {
            try connection.run("VACUUM INTO ?", path)
        } catch {
            Platform.remove(path)
            throw error
        }
        guard Platform.sync(path) else {
            let code = Platform.lastError
            Platform.remove(path)
            throw DatabaseError(code: code, message: Platform.message(forError: code), during: "syncing \(path)")
        }
    }
}
