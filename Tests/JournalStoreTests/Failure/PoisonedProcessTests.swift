import JournalStore
import Testing
import TortureKit

@Suite struct `A process in a crash loop` {
    let folder: TemporaryFolder
    var path: String { folder.path("a.db") }

    init() throws { folder = try TemporaryFolder() }

    /// The lines that the process prints until it ends.
    private func live(_ mode: String, mended: Bool = false) throws -> [String] {
        let child = try Child(Child.program("journal-torture"), ["poison", path, mode, mended ? "mended" : "broken"])
        var lines: [String] = []
        while let line = child.line() { lines.append(line) }
        child.wait()
        return lines
    }

    @Test func `a crashing effect is parked after a few openings, and runs after a fix and a release`() async throws {
        var openings = 0
        var said: [String] = []
        repeat {
            openings += 1
            said = try live("effect")
        } while said.last?.hasPrefix("alive") != true && openings < 12
        // One that has nothing to restore, three that end early, three in which it is suspected, and the last one.
        #expect(openings <= 8)
        #expect(said.last == #"alive: ["guilty"] ["a", "b", "c"]"#)
        #expect(try Shell(path)("SELECT name, status FROM running_effects") == ["guilty|parked"])
        // It stays parked.
        #expect(try live("effect").last == #"alive: ["guilty"] ["a", "b", "c"]"#)

        let journal = try Journal(path: path)
        let parked = try #require(try journal.reader.liveRuns(in: "a").first)
        try await journal.release(parked.key, in: "a", reason: "mended")
        try await journal.close()
        #expect(try live("effect", mended: true).last == #"alive: [] ["a", "b", "c", "guilty"]"#)
        #expect(try Shell(path)("SELECT act, before, reason FROM intervention") == ["release|parked|mended"])
    }

    @Test func `a crash in a reducer is reported with its step, and a skip lets the stream open`() async throws {
        #expect(try live("reducer") == [])
        for _ in 0..<2 {
            let said = try live("reducer")
            #expect(said.count == 1)
            #expect(said.first?.hasPrefix("died-reducing: ") == true)
            #expect(said.first?.contains("stream 'a', step ") == true)
            #expect(said.first?.contains("journal-replay skip \(ShellWord.quoted(path)) ") == true)
            #expect(said.first?.hasSuffix("[crashed]") == true)
        }
        let journal = try Journal(path: path)
        let trap = try journal.reader.entries(in: "a").first { $0.action == #"{"trap":{}}"# }
        try await journal.skip(#require(trap?.step), in: "a")
        try await journal.close()
        #expect(try live("reducer").last == #"alive: [] ["a"]"#)
        #expect(try JournalReader(path: path).verify().isSound)
    }
}
