import Synchronization

/// The small file beside the database: the one-writer lock, and what the writer leaves there for whoever comes after it,
/// however it ended. Where it stands: the database's resolved path with "-lock" behind it.
///
/// It is no part of the journal's truth: it only tells what the truth must at least contain.
final class Sidecar {
    /// What the writer was doing to the file when something went wrong with the disk.
    /// Far from each other, so that a damaged byte does not make one of another.
    enum Mark: UInt64 {
        case clean = 0
        /// A commit failed with an I/O error: the page cache may show what the disk never got.
        case stopped = 0x5354_4F50_5354_4F50
        /// A verified, synced copy stands beside the database and is about to take its place.
        case copyReady = 0x434F_5059_434F_5059
    }

    /// The last entry whose commit was acknowledged.
    struct Acknowledged: Hashable {
        var position: Int
        var digest: Digest
    }

    private let file: LockedFile

    static func path(besides database: String) -> String { database + "-lock" }

    init(besides database: String) throws(LockedFile.Failure) {
        file = try LockedFile(path: Sidecar.path(besides: database), size: Layout.size) { Layout.isOurs($0) }
    }

    /// Says first that it is given back. The lock itself can outlive this by a moment: a process that is being spawned has
    /// a copy of every descriptor until it runs its program.
    deinit {
        Layout.markAsGivenBack(file.bytes)
    }

    /// Who had it last, or has it.
    var holder: Holder? { Layout.holder(UnsafeRawBufferPointer(start: file.bytes, count: file.size)) }

    func take(_ holder: Holder) {
        Layout.write(holder, to: file.bytes)
        file.sync()
    }

    /// Nil where the file is damaged there.
    var mark: Mark? {
        get { Mark(rawValue: file.bytes.load(fromByteOffset: Layout.mark, as: UInt64.self)) }
        set {
            file.bytes.storeBytes(of: (newValue ?? .clean).rawValue, toByteOffset: Layout.mark, as: UInt64.self)
            // Must be there after a power loss too.
            file.sync()
        }
    }

    /// Two slots in turn, each with a check, so that one of them is whole at any moment. No sync: it survives the process
    /// as it is, and after a power loss an older one is still a true lower bound.
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
                Layout.acknowledged(at: first)?.position ?? -1 <= Layout.acknowledged(at: second)?.position ?? -1
            Layout.write(newValue, at: firstIsOlder ? first : second)
        }
    }

    /// When the process that has the lock was known to be alive, or the one that had it.
    var seen: Timestamp? {
        get {
            let time = file.bytes.load(fromByteOffset: Layout.seen, as: Int64.self)
            return time == 0 ? nil : Timestamp(microseconds: time)
        }
        set { file.bytes.storeBytes(of: newValue?.microseconds ?? 0, toByteOffset: Layout.seen, as: Int64.self) }
    }

    /// Where each stream says which step it reduces.
    var marks: StepMarks { StepMarks(file.mapping) }

    /// Whether the lock still protects the database: nobody deleted or replaced the file it is on.
    var isInPlace: Bool { file.isInPlace }

    /// What the contents of a sidecar say of its holder.
    static func holder(in contents: [UInt8]) -> Holder? {
        contents.withUnsafeBytes { Layout.holder($0) }
    }

    /// What a sidecar remembers.
    enum Memory {
        /// There is no sidecar, or nothing was acknowledged yet.
        case nothing
        /// It may not be read, or is damaged.
        case unreadable
        case acknowledged(Acknowledged, by: Holder)
    }

    /// What the sidecar remembers, without the lock.
    static func memory(besides database: String) -> Memory {
        guard Platform.status(ofPath: path(besides: database)) != nil else { return .nothing }
        guard let contents = LockedFile.contents(ofPath: path(besides: database)), Layout.isOurs(contents) else {
            return .unreadable
        }
        return acknowledged(in: contents).map { .acknowledged($0.0, by: $0.1) } ?? .nothing
    }

    private static func acknowledged(in contents: [UInt8]) -> (Acknowledged, Holder)? {
        var contents = contents
        guard let holder = holder(in: contents) else { return nil }
        return contents.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.flatMap { Layout.newest(in: $0) }.map { ($0, holder) }
        }
    }

    /// Who holds the journal at `path` right now; nil where nobody does.
    static func currentHolder(besides database: String) -> Holder? {
        LockedFile.contentsIfHeld(path(besides: database)).flatMap(holder(in:)).flatMap { $0.isAlive ? $0 : nil }
    }
}

/// A process that writes a journal, or was the last to do so.
package struct Holder: Hashable, Sendable {
    package var identity: ProcessIdentity
    /// When it opened the journal.
    package var since: Timestamp
    /// The journal's own random name.
    package var journal: [UInt8]
    /// The database file it has open, whatever its name is by now.
    package var database: FileIdentity
    package var durability: Durability
    /// False once it has given the journal back.
    package var holds = true

    /// Whether the journal is really in its hands: it neither gave it back nor died.
    package var isAlive: Bool { holds && identity.isRunning }
}

/// Where things stand in the file. In the machine's byte order: it never leaves the machine.
private enum Layout {
    static let size = 4096
    static let magic: UInt64 = 0x3130_4543_4A53_444C
    static let mark = 8
    static let slots = (64, 128)
    static let seen = 192
    private static let process = 256

    // An acknowledged entry: position, the digest's two words, and a check over the three.

    /// Whether a file may be used as a sidecar: it is one, or nothing yet. The magic is 0 for the moment in which the holder
    /// is written.
    static func isOurs(_ contents: [UInt8]) -> Bool {
        if contents.isEmpty { return true }
        guard contents.count == size else { return false }
        let found = contents.withUnsafeBytes { $0.load(as: UInt64.self) }
        return found == magic || found == 0
    }

    static func newest(in bytes: UnsafeMutableRawPointer) -> Sidecar.Acknowledged? {
        [slots.0, slots.1].compactMap { acknowledged(at: bytes + $0) }.max { $0.position < $1.position }
    }

    static func acknowledged(at slot: UnsafeMutableRawPointer) -> Sidecar.Acknowledged? {
        let position = slot.load(fromByteOffset: 0, as: UInt64.self)
        let digest = Digest(
            high: slot.load(fromByteOffset: 8, as: UInt64.self), low: slot.load(fromByteOffset: 16, as: UInt64.self))
        guard slot.load(fromByteOffset: 24, as: UInt64.self) == check(position, digest.high, digest.low) else {
            return nil
        }
        return .init(position: Int(clamping: position), digest: digest)
    }

    static func write(_ value: Sidecar.Acknowledged, at slot: UnsafeMutableRawPointer) {
        let words = (UInt64(value.position), value.digest.high, value.digest.low)
        // The check goes first, wrong, and last, right: a process that ends in between leaves a slot that does not count.
        slot.storeBytes(of: 0, toByteOffset: 24, as: UInt64.self)
        atomicMemoryFence(ordering: .releasing)
        slot.storeBytes(of: words.0, toByteOffset: 0, as: UInt64.self)
        slot.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        slot.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        atomicMemoryFence(ordering: .releasing)
        slot.storeBytes(of: check(words.0, words.1, words.2), toByteOffset: 24, as: UInt64.self)
    }

    static func clear(_ slot: UnsafeMutableRawPointer) {
        slot.storeBytes(of: 0, toByteOffset: 24, as: UInt64.self)
    }

    /// Never 0, so that an empty slot is none.
    private static func check(_ first: UInt64, _ second: UInt64, _ third: UInt64) -> UInt64 {
        var check: UInt64 = 0x9E37_79B9_7F4A_7C15
        check = (check ^ first) &* 0xFF51_AFD7_ED55_8CCD
        check = (check ^ second) &* 0xFF51_AFD7_ED55_8CCD
        return (check ^ third) &* 0xFF51_AFD7_ED55_8CCD | 1
    }

    // The holder: its numbers, the journal's name, then two texts behind their lengths.

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
        var offset = process + numbers.count * 8
        for text in [holder.journal, Array(holder.identity.boot.utf8), Array(holder.identity.host.utf8)] {
            let text = text.prefix(255)
            bytes.storeBytes(of: UInt8(text.count), toByteOffset: offset, as: UInt8.self)
            (bytes + offset + 1).copyMemory(from: Array(text), byteCount: text.count)
            offset += 1 + text.count
        }
        bytes.storeBytes(of: magic, toByteOffset: 0, as: UInt64.self)
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
                started: numbers[1], boot: String(decoding: texts[1], as: UTF8.self)),
            since: Timestamp(microseconds: Int64(bitPattern: numbers[2])), journal: texts[0],
            database: FileIdentity(device: numbers[3], inode: numbers[4]),
            durability: numbers[5] == 0 ? .full : .normal, holds: numbers[6] != 0)
    }
}
