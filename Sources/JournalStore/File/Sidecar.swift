import Synchronization

/// The small file next to the database: it carries the one-writer lock, and what the writer leaves there for the next
/// writer, however it ended. Its path is the database's resolved path with the suffix "-lock".
///
/// The journal does not depend on it: it only says what the journal must at least contain.
final class Sidecar {
    /// What the writer was doing to the file when an I/O error occurred.
    /// The values have many different bits, so that a damaged byte does not turn one into another.
    enum Mark: UInt64 {
        case clean = 0
        /// A commit failed with an I/O error: the page cache may show data that the disk never received.
        case stopped = 0x5354_4F50_5354_4F50
        /// A verified, synced copy exists next to the database and is about to replace it.
        case copyReady = 0x434F_5059_434F_5059
    }

    private let file: LockedFile
    private let forkGeneration = ForkGuard.generation

    static func path(besides database: String) -> String { FileBeside.lock.path(of: database) }

    init(besides database: String) throws(LockedFile.Failure) {
        let model = Platform.fileAccess(ofPath: database)
        file = try LockedFile(path: Sidecar.path(besides: database), size: Layout.size, like: model) {
            Layout.isOurs($0)
        }
    }

    /// Marks the journal as released first. The lock itself can outlive this by a moment: a process that is being
    /// spawned has a copy of every descriptor until it executes its program. A forked child releases nothing.
    deinit {
        if forkGeneration == ForkGuard.generation { Layout.markAsGivenBack(file.bytes) }
    }

    /// The last or the current holder.
    var holder: Holder? { Layout.holder(UnsafeRawBufferPointer(start: file.bytes, count: file.size)) }

    func take(_ holder: Holder) {
        Layout.write(holder, to: file.bytes)
        file.sync()
    }

    /// Nil if the file is damaged at this offset.
    var mark: Mark? {
        get { Mark(rawValue: file.bytes.load(fromByteOffset: Layout.mark, as: UInt64.self)) }
        set { _ = setAndSync(newValue ?? .clean) }
    }

    /// Sets the mark, which must survive a power loss.
    ///
    /// - Returns: false with `errno` set if it could not be synced.
    func setAndSync(_ mark: Mark) -> Bool {
        file.bytes.storeBytes(of: mark.rawValue, toByteOffset: Layout.mark, as: UInt64.self)
        return file.sync()
    }

    /// Whether an opening has compared the journal with this file before. False in a new file, even if the journal is
    /// older: then entries can be missing unnoticed.
    var wasCompared: Bool {
        get { file.bytes.load(fromByteOffset: Layout.compared, as: UInt64.self) != 0 }
        set {
            file.bytes.storeBytes(of: newValue ? 1 : 0, toByteOffset: Layout.compared, as: UInt64.self)
            // Before the journal records that it was opened under this name: a power loss must not leave only that.
            file.sync()
        }
    }

    /// Written to two slots in turn, each with a checksum, so that one is valid at any moment. Not synced: it survives
    /// the end of the process, and after a power loss an older value is still a true lower bound.
    var acknowledged: Acknowledged? {
        get {
            Layout.newest(in: file.bytes)
        }
        set {
            guard let newValue else {
                Layout.clear(file.bytes + Layout.slots.0)
                Layout.clear(file.bytes + Layout.slots.1)
                return
            }
            let (first, second) = (file.bytes + Layout.slots.0, file.bytes + Layout.slots.1)
            let firstIsOlder =
                Layout.acknowledged(at: first)?.order ?? (-1, 0) <= Layout.acknowledged(at: second)?.order ?? (-1, 0)
            Layout.write(newValue, at: firstIsOlder ? first : second)
        }
    }

    /// Remembers this alone, even if it is older than what was remembered: after an accepted loss. One slot is valid at
    /// any moment.
    func restart(at value: Acknowledged) {
        acknowledged = value
        for slot in [file.bytes + Layout.slots.0, file.bytes + Layout.slots.1]
        where Layout.acknowledged(at: slot) != value {
            Layout.clear(slot)
        }
    }

    /// Whether an opening has compared the journal with this file, but what it remembered is gone.
    var hasForgotten: Bool { wasCompared && acknowledged == nil }

    /// When the current or the last holder was last known to be alive.
    var seen: Timestamp? {
        get {
            let time = file.bytes.load(fromByteOffset: Layout.seen, as: Int64.self)
            return time == 0 ? nil : Timestamp(microseconds: time)
        }
        set { file.bytes.storeBytes(of: newValue?.microseconds ?? 0, toByteOffset: Layout.seen, as: Int64.self) }
    }

    /// The name of the holder's socket for operators, in the folder of the journal or as an absolute path; empty if
    /// there is none.
    var socket: String {
        get { Layout.socket(UnsafeRawBufferPointer(start: file.bytes, count: file.size)) }
        set { Layout.write(socket: newValue, to: file.bytes) }
    }

    /// The slots in which streams record the step they are reducing.
    var marks: StepMarks { StepMarks(file.mapping) }

    /// Whether the lock still protects the database: its file was neither deleted nor replaced.
    var isInPlace: Bool { file.isInPlace }

    /// Whether its file was deleted or replaced, as far as is known.
    var isDisplaced: Bool { file.isDisplaced }

    /// The holder that a sidecar's contents name.
    static func holder(in contents: [UInt8]) -> Holder? {
        contents.withUnsafeBytes { Layout.holder($0) }
    }

    /// What a sidecar remembers as acknowledged.
    enum Memory {
        /// There is no sidecar, or no opening has compared the journal with it yet.
        case nothing
        /// An opening has, but what the sidecar remembered is gone.
        case forgotten
        /// This user may not read the sidecar.
        case forbidden
        /// The sidecar is damaged, or is not one.
        case damaged
        /// A newer version of the library wrote the sidecar.
        case newer
        /// A copy is about to replace the file, which is not complete any more.
        case replacing
        /// The holder is nil if it is not recorded, as while it is being written.
        case acknowledged(Acknowledged, by: Holder?)
    }

    /// Reads what the sidecar remembers, without taking the lock.
    ///
    /// - Throws: ``JournalError`` if it cannot be read for a reason that says nothing about the file: too many open
    ///   files, or an I/O error.
    static func memory(besides database: String) throws(JournalError) -> Memory {
        let contents: [UInt8]
        do throws(LockedFile.Failure) {
            contents = try contentsOnceWhole(path(besides: database))
        } catch {
            guard case .system(let doing, let code) = error else { return .damaged }
            // A copy can have a name that leaves no room for this one.
            if Platform.isTooLongName(code) { return .nothing }
            switch Platform.kind(ofError: code) {
            case .missing: return .nothing
            case .noAccess: return .forbidden
            case .tooManyFiles, .noRoom, .brokenDisk, .other:
                let what = "\(path(besides: database)) could not be read (\(doing))"
                throw JournalError.system(.inputOutput, what, file: database, number: code)
            }
        }
        guard Layout.isOurs(contents) else { return Layout.isNewer(contents) ? .newer : .damaged }
        return memory(in: contents)
    }

    /// Whether a newer version of the library wrote the sidecar. False if it cannot be read.
    static func isNewer(besides database: String) -> Bool {
        (try? LockedFile.contents(ofPath: path(besides: database))).map(Layout.isNewer) ?? false
    }

    /// Reads the file again if it has no valid slot: a writer can have been about to write both.
    private static func contentsOnceWhole(_ path: String) throws(LockedFile.Failure) -> [UInt8] {
        let contents = try LockedFile.contents(ofPath: path)
        guard Layout.isOurs(contents), case .forgotten = memory(in: contents) else { return contents }
        return try LockedFile.contents(ofPath: path)
    }

    private static func memory(in contents: [UInt8]) -> Memory {
        // A file that is too short was never complete.
        guard contents.count == Layout.size else { return .nothing }
        let holder = holder(in: contents)
        var contents = contents
        return contents.withUnsafeMutableBytes { bytes in
            guard let bytes = bytes.baseAddress else { return .nothing }
            func word(_ offset: Int) -> UInt64 { bytes.load(fromByteOffset: offset, as: UInt64.self) }
            guard let mark = Mark(rawValue: word(Layout.mark)) else { return .damaged }
            if mark == .copyReady { return .replacing }
            if let last = Layout.newest(in: bytes) { return .acknowledged(last, by: holder) }
            return word(Layout.compared) == 0 ? .nothing : .forgotten
        }
    }

    /// The process that holds the journal right now; nil if there is none.
    ///
    /// - Throws: ``JournalError`` as ``current(besides:)``.
    static func currentHolder(besides database: String) throws(JournalError) -> Holder? {
        try current(besides: database)?.holder
    }

    /// The process that holds the journal right now, with the name of its socket.
    ///
    /// - Throws: ``JournalError`` if the file cannot be read, for example by this user.
    static func current(besides database: String) throws(JournalError) -> (holder: Holder, socket: String)? {
        let path = path(besides: database)
        let contents: [UInt8]?
        do throws(LockedFile.Failure) { contents = try LockedFile.contentsIfHeld(path) } catch {
            guard case .system(let doing, let code) = error else { return nil }
            throw JournalError.system(
                .cannotOpen, "\(path), which tells the process that holds the journal, could not be read (\(doing))",
                advice: "Run this as the user of the app.", file: database, number: code)
        }
        guard let contents, let holder = holder(in: contents), holder.isAlive else { return nil }
        return (holder, contents.withUnsafeBytes { Layout.socket($0) })
    }
}

extension Acknowledged {
    /// Later ones are larger.
    fileprivate var order: (Int64, Int) { (transaction, position) }
}

/// The layout of the file, in native byte order: the file never leaves the computer.
private enum Layout {
    static let size = 4096
    /// Six letters, and the version of the layout in two digits: "LDSJCE02".
    static let magic: UInt64 = 0x3230_4543_4A53_444C
    static let mark = 8
    static let compared = 16
    static let slots = (64, 128)
    static let seen = 192
    private static let namespace = 200
    private static let process = 256
    private static let socket = 1280

    // A slot: the position and the digest of an entry, the number of a transaction and its stream, and a checksum.
    private static let wordCount = 5

    /// Whether a file may be used as a sidecar: it is one, or the process that created it ended before the file had its
    /// full size. The magic is 0 while the holder is being written.
    static func isOurs(_ contents: [UInt8]) -> Bool {
        guard contents.count == size else { return contents.allSatisfy { $0 == 0 } }
        let found = contents.withUnsafeBytes { $0.load(as: UInt64.self) }
        return found == magic || found == 0
    }

    /// Whether a file has the letters, and a greater number than this library knows.
    static func isNewer(_ contents: [UInt8]) -> Bool {
        guard contents.count >= 8 else { return false }
        let found = contents.withUnsafeBytes { $0.load(as: UInt64.self) }
        guard found << 16 == magic << 16 else { return false }
        func digits(_ word: UInt64) -> [UInt8] { [UInt8(truncatingIfNeeded: word >> 48), UInt8(word >> 56)] }
        let isNumber = digits(found).allSatisfy { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
        return isNumber && digits(magic).lexicographicallyPrecedes(digits(found))
    }

    static func newest(in bytes: UnsafeMutableRawPointer) -> Acknowledged? {
        [slots.0, slots.1].compactMap { acknowledged(at: bytes + $0) }.max { $0.order < $1.order }
    }

    static func acknowledged(at slot: UnsafeMutableRawPointer) -> Acknowledged? {
        guard slot.load(fromByteOffset: 8 * wordCount, as: UInt64.self) == check(slot) else { return nil }
        func word(_ index: Int) -> UInt64 { slot.load(fromByteOffset: 8 * index, as: UInt64.self) }
        return Acknowledged(
            position: Int(clamping: word(0)), digest: Digest(high: word(1), low: word(2)),
            transaction: Int64(clamping: word(3)), stream: StreamID(rawValue: Int64(clamping: word(4))))
    }

    static func write(_ value: Acknowledged, at slot: UnsafeMutableRawPointer) {
        let words = (
            UInt64(value.position), value.digest.high, value.digest.low, UInt64(value.transaction),
            UInt64(value.stream.rawValue)
        )
        // The checksum is invalidated first and written last: if the process ends in between, the slot does not count.
        clear(slot)
        atomicMemoryFence(ordering: .releasing)
        withUnsafeBytes(of: words) { slot.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
        atomicMemoryFence(ordering: .releasing)
        slot.storeBytes(of: check(slot), toByteOffset: 8 * wordCount, as: UInt64.self)
    }

    static func clear(_ slot: UnsafeMutableRawPointer) {
        slot.storeBytes(of: 0, toByteOffset: 8 * wordCount, as: UInt64.self)
    }

    /// Never 0, so that an empty slot is not valid.
    private static func check(_ slot: UnsafeMutableRawPointer) -> UInt64 {
        var check: UInt64 = 0x9E37_79B9_7F4A_7C15
        for index in 0..<wordCount {
            check = (check ^ slot.load(fromByteOffset: 8 * index, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
        }
        return check | 1
    }

    // The holder: its numbers, then the journal's identity and two texts, each after its length. The namespace of its
    // process ID is elsewhere: sidecars of 0.1.0 have a 0 there.

    static func write(_ holder: Holder, to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: 0, toByteOffset: 0, as: UInt64.self)
        let numbers: [UInt64] = [
            UInt64(holder.identity.process), holder.identity.started, UInt64(bitPattern: holder.since.microseconds),
            holder.database.device, holder.database.inode, holder.durability == .full ? 0 : 1,
            holder.holds ? 1 : 0,
        ]
        for (index, number) in numbers.enumerated() {
            bytes.storeBytes(of: number, toByteOffset: process + index * 8, as: UInt64.self)
        }
        bytes.storeBytes(of: holder.identity.namespace, toByteOffset: namespace, as: UInt64.self)
        var offset = process + numbers.count * 8
        for text in [holder.journal, Array(holder.identity.boot.utf8), Array(holder.identity.host.utf8)] {
            let text = text.prefix(255)
            bytes.storeBytes(of: UInt8(text.count), toByteOffset: offset, as: UInt8.self)
            (bytes + offset + 1).copyMemory(from: Array(text), byteCount: text.count)
            offset += 1 + text.count
        }
        bytes.storeBytes(of: magic, toByteOffset: 0, as: UInt64.self)
    }

    static func write(socket name: String, to bytes: UnsafeMutableRawPointer) {
        let name = Array(name.utf8.prefix(255))
        bytes.storeBytes(of: 0, toByteOffset: socket, as: UInt8.self)
        (bytes + socket + 1).copyMemory(from: name, byteCount: name.count)
        bytes.storeBytes(of: UInt8(name.count), toByteOffset: socket, as: UInt8.self)
    }

    static func socket(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count >= size else { return "" }
        let length = Int(bytes[socket])
        return String(decoding: bytes[socket + 1..<socket + 1 + length], as: UTF8.self)
    }

    static func markAsGivenBack(_ bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: 0, toByteOffset: process + 6 * 8, as: UInt64.self)
    }

    static func holder(_ bytes: UnsafeRawBufferPointer) -> Holder? {
        guard bytes.count >= size, bytes.load(as: UInt64.self) == magic else { return nil }
        let numbers = (0..<7).map { bytes.load(fromByteOffset: process + $0 * 8, as: UInt64.self) }
        var offset = process + numbers.count * 8
        let texts = (0..<3).map { _ in
            let length = Int(bytes[offset])
            defer { offset += 1 + length }
            return Array(bytes[offset + 1..<offset + 1 + length])
        }
        return Holder(
            identity: ProcessIdentity(
                host: String(decoding: texts[2], as: UTF8.self), process: Int32(truncatingIfNeeded: numbers[0]),
                started: numbers[1], boot: String(decoding: texts[1], as: UTF8.self),
                namespace: bytes.load(fromByteOffset: namespace, as: UInt64.self)),
            since: Timestamp(microseconds: Int64(bitPattern: numbers[2])), journal: texts[0],
            database: FileIdentity(device: numbers[3], inode: numbers[4]),
            durability: numbers[5] == 0 ? .full : .normal, holds: numbers[6] != 0)
    }
}
