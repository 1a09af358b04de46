/// Checks that the names of a writer's files still lead to the files it has open. Under another name another writer
/// would have another lock and another WAL, and what is written to a deleted WAL is lost when this process ends.
struct FileNames {
    enum Finding: Hashable {
        case inPlace, moved, linked, truncated, withoutWAL, truncatedWAL, withoutSHM
        /// The names cannot be read, with the error number: nothing is known about the files.
        case unknown(Int32)
    }

    private let file: String
    let wal: String
    let shm: String
    private let identity: FileIdentity
    /// The files that the writer has open under these names. Not those that are there later: a reader, also one of this
    /// library, makes a missing one anew.
    private let openWAL: FileIdentity?
    private let openSHM: FileIdentity?
    /// The file never gets smaller than this: after a checkpoint it is as long as the pages of the database, and without a
    /// VACUUM their number only grows.
    private var leastSize: Int64 = 0

    init(_ file: String, _ identity: FileIdentity) {
        self.file = file
        self.identity = identity
        wal = FileBeside.wal.path(of: file)
        shm = FileBeside.shm.path(of: file)
        (openWAL, openSHM) = (Platform.identity(ofPath: wal), Platform.identity(ofPath: shm))
    }

    /// Call when the whole WAL is in the file.
    ///
    /// - Parameter length: how long the database is, if the file can be longer, because room was reserved.
    mutating func noteSize(atMost length: Int64 = .max) {
        guard let here = Platform.status(ofPath: file), here.identity == identity else { return }
        leastSize = max(leastSize, min(here.size, length))
    }

    /// - Parameter isWholeWAL: whether a WAL of this size can have all that is in it.
    func look(isWholeWAL: (Int64) -> Bool = { _ in true }) -> Finding {
        guard let here = Platform.status(ofPath: file) else { return finding(ifMissing: .moved) }
        guard here.identity == identity else { return .moved }
        guard here.links == 1 else { return .linked }
        guard here.size >= leastSize else { return .truncated }
        // Without their times: reading those of the WAL between two writes cost a third of the commits per second.
        guard let walHere = Platform.file(atPath: wal) else { return finding(ifMissing: .withoutWAL) }
        guard walHere.identity == openWAL ?? walHere.identity else { return .withoutWAL }
        guard isWholeWAL(walHere.size) else { return .truncatedWAL }
        guard let shmHere = Platform.identity(ofPath: shm) else { return finding(ifMissing: .withoutSHM) }
        return shmHere == openSHM ?? shmHere ? .inPlace : .withoutSHM
    }

    /// The finding after a call that found no file. On a disk that fails, the call fails as well.
    private func finding(ifMissing finding: Finding) -> Finding {
        let code = Platform.lastError
        return Platform.kind(ofError: code) == .missing ? finding : .unknown(code)
    }
}
