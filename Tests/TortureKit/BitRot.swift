import Foundation
import JournalStore

/// Damages copies of journals and checks that no change passes unnoticed.
package struct BitRot {
    package struct Result: Sendable, Equatable {
        package var mutants = 0
        /// Whose content is the same: the damage hit bytes that hold nothing.
        package var harmless = 0
        package var noticed = 0
        package var problems: [String] = []

        package init() {}
    }

    /// One way to damage a file.
    enum Harm: CaseIterable {
        case flipBit, changeDigit, changeByte, zeroSector, zeroPage, swapPages, truncate, truncateToPage, empty, remove
    }

    fileprivate struct Original: Sendable {
        var path: String
        var name: String { URL(fileURLWithPath: path).lastPathComponent }
        var lines: [String]
        var state: Rich.State
        var live: [String]
    }

    private let folder: TemporaryFolder
    private let originals: [Original]

    package init() async throws {
        folder = try TemporaryFolder()
        let paths = ["killed.db", "closed.db"].map(folder.path)
        try await Rich.make(killed: paths[0], closed: paths[1])
        var originals: [Original] = []
        for path in paths {
            let copy = folder.path("copy.db")
            try BitRot.copy(path, to: copy)
            let lines = try JournalReader(path: copy).lines()
            let opened = try await BitRot.open(copy)
            originals.append(Original(path: path, lines: lines, state: opened.state, live: opened.live))
        }
        self.originals = originals
    }

    /// Damages one copy, as the seed says, and compares.
    ///
    /// - Returns: what is wrong; nil if the damage was noticed or changed nothing.
    package func run(_ seed: UInt64, _ result: inout Result) async throws {
        var random = SplitMix(seed: seed)
        let original = originals[Int.random(in: 0..<originals.count, using: &random)]
        let copy = folder.path("mutant-\(seed).db")
        defer { for suffix in BitRot.suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
        try BitRot.copy(original.path, to: copy)
        let files = ["", "", "", "-wal", "-wal", "-lock"].filter { FileManager.default.fileExists(atPath: copy + $0) }
        guard let file = files.randomElement(using: &random), let harm = Harm.allCases.randomElement(using: &random)
        else {
            return
        }
        let what = try BitRot.damage(copy + file, harm, &random)
        try await compare(copy, original, "mutant \(seed) (\(original.name)\(file): \(harm) \(what))", &result)
    }

    /// A piece of a file that a disk loses at once.
    package struct Sector: Sendable, CustomStringConvertible {
        fileprivate var original: Original
        fileprivate var suffix: String
        fileprivate var number: Int

        fileprivate static let size = 512

        package var description: String { "sector \(number) of \(original.name)\(suffix)" }
    }

    /// Every sector of every file.
    package func sectors() throws -> [Sector] {
        try originals.flatMap { original in
            try ["", "-wal", "-lock"].filter { FileManager.default.fileExists(atPath: original.path + $0) }
                .flatMap { suffix in
                    let size = try Data(contentsOf: URL(fileURLWithPath: original.path + suffix)).count
                    return (0..<size / Sector.size).map { Sector(original: original, suffix: suffix, number: $0) }
                }
        }
    }

    /// Fills one sector of a copy with zeros, and compares.
    package func zero(_ sector: Sector, _ result: inout Result) async throws {
        let copy = folder.path("zeroed.db")
        defer { for suffix in BitRot.suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
        try BitRot.copy(sector.original.path, to: copy)
        let url = URL(fileURLWithPath: copy + sector.suffix)
        var bytes = try Data(contentsOf: url)
        let place = sector.number * Sector.size
        bytes.replaceSubrange(place..<place + Sector.size, with: Data(count: Sector.size))
        try bytes.write(to: url)
        try await compare(copy, sector.original, "\(sector) zeroed", &result)
    }

    /// A change of one byte of an index.
    package struct IndexByte: Sendable, CustomStringConvertible {
        fileprivate var original: Original
        fileprivate var index: String
        fileprivate var place: Int
        /// The bits that are flipped.
        fileprivate var bits: UInt8

        package var description: String { "byte \(place) of \(original.name), in \(index), with other bits (\(bits))" }
    }

    /// Changes of each byte in use of each index, in the journal that was closed.
    package func indexBytes() throws -> [IndexByte] {
        guard let closed = try checkpointed() else { return [] }
        let pages = IndexPages(closed.bytes)
        return try trees(of: closed.original).filter { $0.kind == "index" }.flatMap { tree in
            pages.places(under: tree.root).flatMap { place in
                ([0x01, 0x80] as [UInt8]).map { bits in
                    IndexByte(original: closed.original, index: tree.name, place: place, bits: bits)
                }
            }
        }
    }

    /// A table or an index.
    package struct Tree: Sendable, CustomStringConvertible {
        fileprivate var original: Original
        fileprivate var kind: String
        package var name: String
        fileprivate var root: Int

        package var description: String { "endless \(name) of \(original.name)" }
    }

    /// The tables and indexes of the journal that was closed.
    package func trees() throws -> [Tree] {
        try checkpointed().map { try trees(of: $0.original) } ?? []
    }

    private func trees(of original: Original) throws -> [Tree] {
        try RowFuzz.rows("SELECT type, name, rootpage FROM sqlite_schema WHERE rootpage > 0", original.path).map {
            row in
            Tree(original: original, kind: row[0], name: row[1], root: Int(row[2]) ?? 0)
        }
    }

    /// The journal that was closed, with nothing in a WAL.
    private func checkpointed() throws -> (original: Original, bytes: [UInt8])? {
        guard var original = originals.last else { return nil }
        let path = folder.path("checkpointed.db")
        try BitRot.copy(original.path, to: path)
        _ = RowFuzz.execute("PRAGMA wal_checkpoint(TRUNCATE)", path)
        original.path = path
        return (original, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    /// Makes a tree of a copy endless, and compares. Trees without rows are left out.
    package func makeEndless(_ tree: Tree, _ result: inout Result) async throws {
        let copy = folder.path("endless.db")
        defer { for suffix in BitRot.suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
        try BitRot.copy(tree.original.path, to: copy)
        let url = URL(fileURLWithPath: copy)
        guard let bytes = EndlessTree.make(tree.root, in: [UInt8](try Data(contentsOf: url))) else { return }
        try Data(bytes).write(to: url)
        try await compare(copy, tree.original, "\(tree)", &result)
    }

    /// Changes one byte of a copy, and compares.
    package func change(_ byte: IndexByte, _ result: inout Result) async throws {
        let copy = folder.path("changed.db")
        defer { for suffix in BitRot.suffixes { try? FileManager.default.removeItem(atPath: copy + suffix) } }
        try BitRot.copy(byte.original.path, to: copy)
        let url = URL(fileURLWithPath: copy)
        var bytes = [UInt8](try Data(contentsOf: url))
        bytes[byte.place] ^= byte.bits
        try Data(bytes).write(to: url)
        try await compare(copy, byte.original, "\(byte)", &result)
    }

    /// Compares a damaged copy with its original.
    private func compare(
        _ copy: String, _ original: Original, _ name: String, _ result: inout Result
    ) async throws {
        result.mutants += 1
        var isNoticed = false
        var isSame = false
        do {
            let reader = try JournalReader(path: copy)
            let report = try reader.verify()
            isNoticed = !report.isSound
            isSame = try reader.lines() == original.lines
        } catch {
            isNoticed = true
        }
        if !isNoticed && !isSame { result.problems.append("\(name): other rows, and `verify` says that it is sound") }
        do {
            let opened = try await BitRot.open(copy)
            if opened.hasNotices {
                isNoticed = true
            } else if opened.state != original.state {
                result.problems.append("\(name): opened with another state: \(opened.state), not \(original.state)")
            } else if opened.live != original.live {
                result.problems.append("\(name): opened with other effects: \(opened.live)")
            }
        } catch is JournalError {
            isNoticed = true
        }
        if isNoticed { result.noticed += 1 } else { result.harmless += 1 }
    }

    // MARK: Files

    private static let suffixes = ["", "-wal", "-shm", "-lock", "-salvage", "-damaged", "-damaged-wal"]

    private static func copy(_ path: String, to copy: String) throws {
        for suffix in suffixes {
            try? FileManager.default.removeItem(atPath: copy + suffix)
            guard FileManager.default.fileExists(atPath: path + suffix) else { continue }
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
    }

    /// - Returns: where.
    private static func damage(_ path: String, _ harm: Harm, _ random: inout SplitMix) throws -> String {
        let url = URL(fileURLWithPath: path)
        var bytes = [UInt8](try Data(contentsOf: url))
        guard !bytes.isEmpty else { return "of an empty file" }
        var place = Int.random(in: 0..<bytes.count, using: &random)
        let page = 4096
        func zero(_ size: Int) {
            place = place / size * size
            for index in place..<min(place + size, bytes.count) { bytes[index] = 0 }
        }
        switch harm {
        case .flipBit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .changeByte: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case .changeDigit:
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            let places = bytes.indices.filter { digits.contains(bytes[$0]) }
            place = places.randomElement(using: &random) ?? place
            bytes[place] = UInt8.random(in: digits, using: &random)
        case .zeroSector: zero(Sector.size)
        case .zeroPage: zero(page)
        case .swapPages:
            let count = bytes.count / page
            guard count > 1 else { return "of one page" }
            let (first, second) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            place = first * page
            for index in 0..<page { bytes.swapAt(first * page + index, second * page + index) }
        case .truncate: bytes.removeLast(bytes.count - place)
        case .truncateToPage:
            place = place / page * page
            bytes.removeLast(bytes.count - place)
        case .empty: bytes = []
        case .remove:
            try FileManager.default.removeItem(at: url)
            return ""
        }
        try Data(bytes).write(to: url)
        return "at \(place)"
    }

    // MARK: Opening

    private struct Opened {
        var state: Rich.State
        var live: [String]
        /// Whether the opening said that something is wrong.
        var hasNotices: Bool
    }

    private static func open(_ path: String) async throws -> Opened {
        let notices = Notices()
        var options = Journal.Options()
        options.durability = .normal
        options.report = { notices.add($0) }
        options.snapshots = .never
        let journal = try Journal(path: path, options: options)
        do {
            var opening = OpenOptions()
            opening.restart = .ask
            let store = try await journal.open(
                Rich.machine, stream: "rich", environment: Rich.Arrivals(), options: opening)
            let live = try await store.liveRuns().map { "\($0.key) \($0.name) \($0.delivered)" }.sorted()
            let opened = Opened(
                state: store.state, live: live,
                hasNotices: notices.count > 0 || !store.recovery.skippedSnapshots.isEmpty)
            try await journal.close()
            return opened
        } catch {
            try? await journal.close()
            throw error
        }
    }

    private final class Notices: Sendable {
        private let all = Lock(0)

        func add(_: Notice) { all.withLock { $0 += 1 } }

        var count: Int { all.withLock { $0 } }
    }
}
