/// The names that must still lead to the files a writer has open: under another name another writer would have another lock and another
/// WAL, and what goes into a WAL that was deleted is gone with this process.
struct FileNames {
    enum Finding { case inPlace, moved, linked, withoutWAL }

    private let file: String
    let wal: String
    private let identity: FileIdentity

    init(_ file: String, _ identity: FileIdentity) {
        self.file = file
        self.identity = identity
        wal = file + "-wal"
    }

    func look() -> Finding {
        guard let here = Platform.status(ofPath: file), here.identity == identity else { return .moved }
        guard here.links == 1 else { return .linked }
        // Not its status: asked for its times between two writes, a file gets a new time at each write, and the sync after
        // it has that to write too. That cost a third of the commits a second.
        return Platform.exists(wal) ? .inPlace : .withoutWAL
    }
}
