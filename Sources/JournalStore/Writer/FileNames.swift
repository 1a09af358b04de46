/// The names that must still lead to the files a writer has open: under another name another writer would have another lock and another
/// WAL, and what goes into a WAL that was deleted is gone with this process.
struct FileNames {
    enum Finding { case inPlace, moved, linked, withoutWAL }

    let file: String
    let wal: String
    private let identity: FileIdentity
    private let folder: HeldFolder?
    private let fileName: String
    private let walName: String

    init(_ file: String, _ identity: FileIdentity) {
        self.file = file
        self.identity = identity
        wal = file + "-wal"
        folder = HeldFolder(Platform.directory(of: file))
        fileName = Platform.name(of: file)
        walName = Platform.name(of: wal)
    }

    /// Looks at the names in their folder.
    func look() -> Finding {
        guard let folder else { return lookFromTheRoot() }
        return finding(folder.status(of: fileName)) { folder.has(walName) }
    }

    /// Looks at the whole paths: finds also that the folder has another name.
    func lookFromTheRoot() -> Finding {
        finding(Platform.status(ofPath: file)) { Platform.exists(wal) }
    }

    private func finding(_ here: FileStatus?, _ hasWAL: () -> Bool) -> Finding {
        guard let here, here.identity == identity else { return .moved }
        guard here.links == 1 else { return .linked }
        // Not its status: asked for its times between two writes, a file gets a new time at each write, and the sync after
        // it has that to write too. That cost a third of the commits a second.
        return hasWAL() ? .inPlace : .withoutWAL
    }
}
