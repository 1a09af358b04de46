import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the sidecar` {
    let folder: TemporaryFolder
    /// The path of the sidecar's database, which does not exist.
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.path("j.db")
    }

    // Offsets in the file, repeated here because a file of an earlier build must be readable.
    private static let mark = 8
    private static let slots = [64, 128]
    private static let slotSize = 48

    private func open() throws -> Sidecar { try Sidecar(besides: database) }

    private func contents() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: database + "-lock")))
    }

    /// Opens a copy of the file, or of the given contents. Under a new name each time: a process that another test is
    /// spawning holds the lock of the old file until it executes its program.
    private func reopen(_ contents: [UInt8]? = nil) throws -> Sidecar {
        let copy = folder.path(UUID().uuidString)
        try Data(contents ?? self.contents()).write(to: URL(fileURLWithPath: copy + "-lock"))
        return try Sidecar(besides: copy)
    }

    private static func acknowledged(_ position: Int) -> Acknowledged {
        Acknowledged(
            position: position, digest: Digest(of: "entry \(position)"), transaction: Int64(position),
            stream: StreamID(rawValue: 3))
    }

    private static func holder(host: String = "here", boot: String = "boot", journal: [UInt8] = [1, 2]) -> Holder {
        Holder(
            identity: ProcessIdentity(host: host, process: 4711, started: .max, boot: boot),
            since: Timestamp(microseconds: -5), journal: journal,
            database: FileIdentity(device: 6, inode: .max - 7), durability: .normal)
    }

    // MARK: The file

    @Test func `the sidecar is a file next to the database with its own name`() throws {
        let sidecar = try open()
        #expect(try contents().count == 4096)
        #expect(Sidecar.path(besides: "/a/j.db") == "/a/j.db-lock")
        #expect(sidecar.isInPlace)
    }

    @Test func `a new sidecar remembers nothing`() throws {
        let sidecar = try open()
        #expect(sidecar.acknowledged == nil)
        #expect(sidecar.holder == nil)
        #expect(sidecar.mark == .clean)
        guard case .nothing = try Sidecar.memory(besides: database) else {
            Issue.record("a new sidecar remembers something")
            return
        }
    }

    @Test func `a sidecar that is too short and has content is refused`() throws {
        try open().mark = .copyReady
        for length in [9, 100, 4095] {
            let short = Array(try contents().prefix(length))
            #expect(throws: LockedFile.Failure.self) { try reopen(short) }
        }
    }

    @Test(arguments: [0, 1, 8, 100, 4095])
    func `a sidecar that is too short and has only zeros was never complete, and is completed`(_ length: Int) throws {
        let copy = folder.path("short")
        try Data(count: length).write(to: URL(fileURLWithPath: copy + "-lock"))
        guard case .nothing = try Sidecar.memory(besides: copy) else {
            Issue.record("it remembers something")
            return
        }
        let sidecar = try Sidecar(besides: copy)
        sidecar.take(Self.holder())
        #expect(sidecar.holder == Self.holder())
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy + "-lock")).count == 4096)
    }

    @Test func `a sidecar says whether the journal was compared with it`() throws {
        let sidecar = try open()
        #expect(!sidecar.wasCompared)
        sidecar.wasCompared = true
        #expect(try reopen().wasCompared)
        // Nothing else is changed by it, and it is changed by nothing else.
        #expect(sidecar.mark == .clean && sidecar.holder == nil && sidecar.acknowledged == nil)
        sidecar.mark = .stopped
        sidecar.take(Self.holder())
        sidecar.acknowledged = Self.acknowledged(1)
        sidecar.acknowledged = Self.acknowledged(2)
        #expect(try reopen().wasCompared)
        #expect(try reopen().mark == .stopped)
    }

    @Test func `a second opening is refused and gets the holder`() throws {
        let sidecar = try open()
        sidecar.take(Self.holder())
        let error = #expect(throws: LockedFile.Failure.self) { try open() }
        guard case .held(let contents)? = error else {
            Issue.record("the failure is \(String(describing: error))")
            return
        }
        #expect(Sidecar.holder(in: contents) == Self.holder())
    }

    @Test func `the current holder is named while it holds the lock, and asking does not take the lock`() async {
        // In its own process, for the reason given at `reopen`.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = folder.path("j.db")
            let holder = Holder(
                identity: .current(), since: .now(), journal: [1], database: FileIdentity(device: 2, inode: 3),
                durability: .full)
            #expect(try Sidecar.currentHolder(besides: database) == nil)
            do {
                let sidecar = try Sidecar(besides: database)
                sidecar.take(holder)
                #expect(try Sidecar.currentHolder(besides: database) == holder)
                #expect(try Sidecar.currentHolder(besides: database) == holder)
                #expect(throws: LockedFile.Failure.self) { try Sidecar(besides: database) }
            }
            #expect(try Sidecar.currentHolder(besides: database) == nil)
            // The last holder is still recorded.
            #expect(try Sidecar(besides: database).holder?.identity == holder.identity)
        }
    }

    @Test func `a sidecar that was removed or replaced is not in place`() throws {
        let sidecar = try open()
        try FileManager.default.removeItem(atPath: database + "-lock")
        #expect(!sidecar.isInPlace)
        let second = try open()
        #expect(second.isInPlace)
        #expect(!sidecar.isInPlace)
    }

    @Test func `a sidecar of an earlier build is read`() throws {
        // Byte for byte. If this must change, the eight letters at the beginning have to change as well: contents that
        // are not understood are not compared, so missing entries would not be noticed.
        func word(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        var bytes = word(0x3230_4543_4A53_444C) + word(0x434F_5059_434F_5059)
        bytes += [UInt8](repeating: 0, count: 128 - bytes.count)
        bytes += word(9) + word(0x0123_4567_89AB_CDEF) + word(5) + word(1 << 32) + word(2) + word(0x43AB5542E143FD71)
        bytes += [UInt8](repeating: 0, count: 256 - bytes.count)
        for number in [4711, 17, 1_700_000_000_000_000, 6, 8, 1, 1] as [UInt64] { bytes += word(number) }
        bytes += [2, 1, 2] + [4] + Array("boot".utf8) + [5] + Array("here!".utf8)
        bytes += [UInt8](repeating: 0, count: 4096 - bytes.count)

        let sidecar = try reopen(bytes)
        #expect(sidecar.mark == .copyReady)
        #expect(
            sidecar.acknowledged
                == Acknowledged(
                    position: 9, digest: Digest(high: 0x0123_4567_89AB_CDEF, low: 5), transaction: 1 << 32,
                    stream: StreamID(rawValue: 2)))
        #expect(
            sidecar.holder
                == Holder(
                    identity: ProcessIdentity(host: "here!", process: 4711, started: 17, boot: "boot"),
                    since: Timestamp(microseconds: 1_700_000_000_000_000), journal: [1, 2],
                    database: FileIdentity(device: 6, inode: 8), durability: .normal))
    }

    // MARK: The acknowledged entry

    @Test func `an acknowledged entry is visible to others at once, without a sync`() throws {
        let sidecar = try open()
        sidecar.take(Self.holder())
        sidecar.acknowledged = Self.acknowledged(1)
        guard case .acknowledged(let last, let holder) = try Sidecar.memory(besides: database) else {
            Issue.record("the sidecar remembers nothing")
            return
        }
        #expect(last == Self.acknowledged(1))
        #expect(holder == Self.holder())
    }

    @Test(arguments: [1, 2, 4096, .max]) func `an acknowledged entry survives a reopening`(_ position: Int) throws {
        try open().acknowledged = Self.acknowledged(position)
        #expect(try reopen().acknowledged == Self.acknowledged(position))
    }

    @Test func `the newest of the two slots counts, whichever it is`() throws {
        let sidecar = try open()
        for position in 1...9 {
            sidecar.acknowledged = Self.acknowledged(position)
            #expect(sidecar.acknowledged == Self.acknowledged(position))
            #expect(try reopen().acknowledged == Self.acknowledged(position))
        }
    }

    @Test func `an acknowledged entry can be cleared, and then an earlier one counts again`() throws {
        let sidecar = try open()
        sidecar.acknowledged = Self.acknowledged(8)
        sidecar.acknowledged = Self.acknowledged(9)
        sidecar.acknowledged = nil
        #expect(sidecar.acknowledged == nil)
        #expect(try reopen().acknowledged == nil)
        sidecar.acknowledged = Self.acknowledged(3)
        #expect(sidecar.acknowledged == Self.acknowledged(3))
    }

    @Test func `what is remembered can begin again with an earlier entry, and is never nothing`() throws {
        let sidecar = try open()
        for position in [8, 9, 3, 5, 5, 4] {
            sidecar.restart(at: Self.acknowledged(position))
            #expect(sidecar.acknowledged == Self.acknowledged(position))
            #expect(try reopen().acknowledged == Self.acknowledged(position))
            sidecar.acknowledged = Self.acknowledged(position + 1)
            #expect(sidecar.acknowledged == Self.acknowledged(position + 1))
        }
    }

    @Test func `a sidecar that was compared and has no valid slot has forgotten what it remembered`() throws {
        let sidecar = try open()
        #expect(!sidecar.hasForgotten)
        sidecar.wasCompared = true
        #expect(sidecar.hasForgotten)
        guard case .forgotten = try Sidecar.memory(besides: database) else {
            Issue.record("the memory is not lost")
            return
        }
        sidecar.acknowledged = Self.acknowledged(1)
        #expect(!sidecar.hasForgotten)
    }

    @Test func `a memory without a holder counts, and with an unknown mark it is damaged`() throws {
        let sidecar = try open()
        sidecar.acknowledged = Self.acknowledged(7)
        guard case .acknowledged(let last, nil) = try Sidecar.memory(besides: database) else {
            Issue.record("nothing is remembered")
            return
        }
        #expect(last == Self.acknowledged(7))
        var bytes = try contents()
        bytes[Self.mark] ^= 1
        let copy = folder.path("marked")
        try Data(bytes).write(to: URL(fileURLWithPath: copy + "-lock"))
        guard case .damaged = try Sidecar.memory(besides: copy) else {
            Issue.record("the mark was accepted")
            return
        }
    }

    @Test func `the newest slot stays whole while the next is written`() throws {
        let sidecar = try open()
        sidecar.acknowledged = Self.acknowledged(1)
        for position in 2...9 {
            let before = try contents()
            sidecar.acknowledged = Self.acknowledged(position)
            var after = try contents()
            let written = Self.slots.filter { before[$0..<$0 + Self.slotSize] != after[$0..<$0 + Self.slotSize] }
            #expect(written.count == 1)
            for slot in written { after[slot] ^= 1 }
            #expect(try reopen(after).acknowledged == Self.acknowledged(position - 1))
        }
    }

    @Test(arguments: slots) func `a torn slot does not count`(_ torn: Int) throws {
        let sidecar = try open()
        sidecar.acknowledged = Self.acknowledged(1)
        sidecar.acknowledged = Self.acknowledged(2)
        // The slots alternate: the third entry replaces the first.
        if torn == Self.slots[0] { sidecar.acknowledged = Self.acknowledged(3) }
        let older = Self.acknowledged(torn == Self.slots[0] ? 2 : 1)
        let whole = try contents()
        for offset in torn..<torn + Self.slotSize {
            for bit in 0..<8 {
                var bytes = whole
                bytes[offset] ^= 1 << UInt8(bit)
                #expect(try reopen(bytes).acknowledged == older, "bit \(bit) of byte \(offset - torn)")
            }
        }
        for length in 0..<Self.slotSize {
            var bytes = whole
            for offset in torn + length..<torn + Self.slotSize { bytes[offset] = 0xFF }
            #expect(try reopen(bytes).acknowledged == older, "after \(length) bytes")
        }
    }

    @Test func `two torn slots count as no acknowledged entry`() throws {
        let sidecar = try open()
        sidecar.acknowledged = Self.acknowledged(1)
        sidecar.acknowledged = Self.acknowledged(2)
        var bytes = try contents()
        for slot in Self.slots { bytes[slot] ^= 1 }
        #expect(try reopen(bytes).acknowledged == nil)
    }

    // MARK: The mark

    @Test(arguments: [Sidecar.Mark.clean, .stopped, .copyReady])
    func `a mark survives a reopening`(_ mark: Sidecar.Mark) throws {
        let sidecar = try open()
        for other in [Sidecar.Mark.stopped, .copyReady, .clean] {
            sidecar.mark = other
            sidecar.mark = mark
            #expect(try reopen().mark == mark)
        }
    }

    @Test(arguments: [3, 255, UInt64.max]) func `an unknown mark is read as nil`(_ raw: UInt64) throws {
        try open().mark = .clean
        var bytes = try contents()
        bytes.replaceSubrange(Self.mark..<Self.mark + 8, with: withUnsafeBytes(of: raw) { Array($0) })
        #expect(try reopen(bytes).mark == nil)
    }

    @Test func `mark, holder and acknowledged entry do not overwrite each other`() throws {
        let sidecar = try open()
        sidecar.take(Self.holder(host: String(repeating: "h", count: 255), boot: String(repeating: "b", count: 255)))
        sidecar.acknowledged = Self.acknowledged(1)
        sidecar.acknowledged = Self.acknowledged(2)
        sidecar.mark = .copyReady
        #expect(sidecar.holder?.identity.boot == String(repeating: "b", count: 255))
        #expect(sidecar.acknowledged == Self.acknowledged(2))
        sidecar.take(Self.holder())
        #expect(sidecar.mark == .copyReady)
        #expect(sidecar.acknowledged == Self.acknowledged(2))
    }

    // MARK: The holder

    @Test(arguments: [
        Named("ordinary names", holder()), Named("empty names", holder(host: "", boot: "", journal: [])),
        Named(
            "the longest names",
            holder(
                host: String(repeating: "h", count: 255), boot: String(repeating: "b", count: 255),
                journal: [UInt8](repeating: 9, count: 255))),
        Named("a name beyond ASCII", holder(host: "größer-🛒")), Named("a name with a NUL", holder(host: "a\0b")),
    ])
    func `a holder is read back unchanged`(_ holder: Named<Holder>) throws {
        let sidecar = try open()
        sidecar.take(holder.value)
        #expect(sidecar.holder == holder.value)
        #expect(try reopen().holder == holder.value)
    }

    @Test(arguments: Durability.allCases) func `durability is read back unchanged`(_ durability: Durability) throws {
        var holder = Self.holder()
        holder.durability = durability
        try open().take(holder)
        #expect(try reopen().holder?.durability == durability)
    }

    @Test func `a sidecar that is released records this, and nothing else of its holder changes`() throws {
        var holder = Self.holder()
        do {
            let sidecar = try open()
            sidecar.take(holder)
            #expect(try reopen().holder == holder)
            #expect(holder.isAlive)
        }
        holder.holds = false
        #expect(try reopen().holder == holder)
        #expect(!holder.isAlive)
    }

    @Test func `a name of more than 255 bytes is cut, and nothing else is damaged`() throws {
        var holder = Self.holder(host: String(repeating: "h", count: 1000), boot: String(repeating: "ü", count: 300))
        let sidecar = try open()
        sidecar.take(holder)
        holder.identity.host = String(repeating: "h", count: 255)
        // 255 bytes end in the middle of a character.
        holder.identity.boot = String(repeating: "ü", count: 127) + "\u{FFFD}"
        #expect(try reopen().holder == holder)
    }

    @Test func `a shorter holder leaves nothing of a longer one`() throws {
        let sidecar = try open()
        sidecar.take(Self.holder(host: String(repeating: "h", count: 255)))
        sidecar.take(Self.holder(host: "x", boot: "", journal: [3]))
        #expect(sidecar.holder == Self.holder(host: "x", boot: "", journal: [3]))
    }

    @Test func `contents that are too short, or not of a sidecar, have no holder`() throws {
        let sidecar = try open()
        sidecar.take(Self.holder())
        let valid = try contents()
        #expect(Sidecar.holder(in: valid) == Self.holder())
        for length in [0, 1, 7, 8, 256, 4095] { #expect(Sidecar.holder(in: Array(valid.prefix(length))) == nil) }
        for offset in 0..<8 {
            var other = valid
            other[offset] ^= 0x10
            #expect(Sidecar.holder(in: other) == nil)
        }
    }

    // MARK: Any contents

    @Test func `the process survives any random bytes`() throws {
        try open().take(Self.holder())
        let valid = try contents()
        var random = SplitMix(seed: 4)
        for round in 0..<500 {
            var bytes = (0..<4096).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            // Most of them begin with the right magic: the others are not parsed at all.
            if round > 100 { bytes.replaceSubrange(0..<8, with: valid[0..<8]) }
            if round > 400 { for offset in 256..<1100 { bytes[offset] = .max } }
            #expect((Sidecar.holder(in: bytes) != nil) == (round > 100))
        }
    }

    @Test func `no single changed byte can crash the process`() throws {
        try open().take(Self.holder(host: String(repeating: "h", count: 255), boot: String(repeating: "b", count: 255)))
        let valid = try contents()
        var random = SplitMix(seed: 5)
        for offset in 0..<1200 {
            for value in [0, 127, 128, 255, UInt8.random(in: .min ... .max, using: &random)] {
                var bytes = valid
                bytes[offset] = value
                let isOurs = offset >= 8 || value == valid[offset]
                #expect((Sidecar.holder(in: bytes) != nil) == isOurs)
            }
        }
    }

    @Test func `a file with other contents is not opened`() throws {
        var random = SplitMix(seed: 6)
        for _ in 0..<50 {
            let bytes = (0..<4096).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(throws: LockedFile.Failure.self) { try reopen(bytes) }
        }
    }
}
