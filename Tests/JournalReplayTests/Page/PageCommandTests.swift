import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `page` {
    @Test func `writes one file and says what it holds`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let page = fixture.path("report.html")
        let result = try await Tool.inApp("page", path, "-o", page)
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.output.hasPrefix("Wrote \(page): 2 streams, 9 steps, 1 effect, 11 states, "))
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.hasPrefix("<!DOCTYPE html>"))
        #expect(text.hasSuffix("</html>\n\n") || text.hasSuffix("</html>\n"))
        #expect(!text.contains("<!-- "))
        // The page advises to make it again with this command.
        #expect(try PageFile.data(page).contains(#""tool":"replay-app""#))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(!files.contains { $0.hasSuffix("-partial") || $0.hasSuffix("-draft") })
    }

    @Test func `says that states need the machine`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        let result = try await Tool.run("page", path, "-o", fixture.path("report.html"))
        #expect(result.status == 0)
        #expect(result.output.contains(", 0 states, "))
        #expect(result.error.hasPrefix("States need the machine: "), "\(result)")
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        let page = fixture.path("report.html")
        let result = try await Tool.run("page", path, "--out", page, "--json", "--last", "4")
        let object = try #require(try objects(result.output).first)
        #expect(try keys(ofFirstLine: result.output) == Command.page.keys.map(\.name))
        #expect(object["page"] as? String == page)
        #expect(object["steps"] as? Int == 4)
        #expect(object["omitted"] as? Int == 2)
        #expect(object["states"] as? Int == 0)
        #expect(object["bytes"] as? Int == (try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int))
    }

    /// `PageStreamsTests` has the rule; here an app commits at any moment.
    @Test func `takes no step for an older one while an app commits`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        for round in 1...20 {
            async let writing: Void = {
                for number in 1...10 {
                    try await journal.openStream("cart-\(round)-\(number)", machine: "cart").append("1")
                }
            }()
            let page = fixture.path("\(round).html")
            let result = await Tool.here([], ["page", fixture.path("shop.db"), "-o", page, "--json"])
            #expect(try objects(result.output).first?["omitted"] as? Int == 0, "\(result)")
            try await writing
        }
        try await journal.close()
    }

    @Test func `tells streams apart whose names differ only in their code points`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open("names.db")
        let names = ["\u{E9}", "e\u{301}"]
        for name in names { try await journal.openStream(name, machine: "cart").append(contentsOf: ["1", "2"]) }
        try await journal.close()
        let path = fixture.path("names.db")
        let one = try await Tool.run(
            "page", path, "-o", fixture.path("one.html"), "--stream", names[1], "--states=none")
        #expect(one.output.contains("one.html: 1 stream, 2 steps"), "\(one)")
        #expect(one.error == "")
        let line = [
            "page", path, "-o", fixture.path("two.html"), "--stream=\(names[0])", "--stream=\(names[1])",
            "--states=none",
        ]
        let two = try await Tool.run(program: Tool.path, line)
        #expect(two.output.contains("two.html: 2 streams, 4 steps"), "\(two)")
        #expect(two.error == "")
        // Named twice in one command line, they are two streams as well.
        #expect(try await Tool.run("log", path, names[0], "--stream", names[1]).status == 64)
    }

    @Test func `overwrites nothing, creates no folder and leaves no part of a file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        #expect(try await Tool.run("page", path).error.hasPrefix("Error: '--out' is missing: name the file to create."))
        #expect(try await Tool.run("page", path).status == 64)
        #expect(try await Tool.run("page", path, "-o", path).status == 1)
        #expect(try await Tool.run("page", path, "-o", fixture.path("none/a.html")).status == 66)
        #expect(try await Tool.run("page", path, "-o", fixture.path("a.html"), "--stream", "nobody").status == 66)
        #expect(try await Tool.run("page", path, "-o", fixture.path("a.html"), "--states", "few").status == 64)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder).allSatisfy { !$0.hasPrefix("a.html") })
    }

    @Test func `says of a damaged journal where it is damaged, and writes no page`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        try fixture.execute("UPDATE effect_run SET error = 'changed' WHERE step = 3", in: path)
        let result = try await Tool.run("page", path, "-o", fixture.path("a.html"))
        #expect(result.status == 65)
        #expect(result.output == "")
        #expect(result.error.contains(path))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(!files.contains { $0.hasPrefix("a.html") }, "\(files)")
    }

    @Test func `shows the effects of a stream whose positions are not in the order of its steps`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        try fixture.swapPositions(1, 8, in: path)
        let result = try await Tool.run("page", path, "-o", fixture.path("a.html"))
        #expect(result.status == 65, "\(result)")
        #expect(result.output.contains(": 2 streams, 9 steps, 1 effect, "))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(!files.contains { $0.hasSuffix("-draft") })
    }

    @Test func `has entries that were changed by hand, and the exit code says that the journal is damaged`()
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.accounts()
        try fixture.execute("UPDATE entry SET time = time + 1 WHERE stream = 1 AND step = 2", in: path)
        for options in [[], ["--json"]] {
            let page = fixture.path("a\(options.count).html")
            let result = try await Tool.run(program: Tool.path, ["page", path, "-o", page] + options)
            #expect(result.status == 65, "\(result)")
            #expect(result.error.contains("Warning: stream 'a': step 2: "), "\(result)")
            #expect(FileManager.default.fileExists(atPath: page))
        }
    }

    @Test func `of a named stream does not read the entries and effects of others`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.shop()
        _ = try await Tool.run("skip", path, "till", "1", "--yes")
        let act = try await Tool.run("cancel", path, "cart-2", "1.0", "--yes")
        #expect(act.status == 0, "\(act)")
        try fixture.execute("UPDATE effect_run SET error = 'changed' WHERE step = 3", in: path)
        try fixture.execute("UPDATE entry SET origin = 99 WHERE position = 1", in: path)
        let all = try await Tool.run("page", path, "-o", fixture.path("a.html"))
        #expect(all.status == 65)
        let one = try await Tool.run("page", path, "cart-2", "-o", fixture.path("a.html"))
        #expect(one.status == 0, "\(one)")
        #expect(one.output.contains(": 1 stream, 2 steps, 1 effect, "))
        let some = try await Tool.run("page", path, "cart-2", "--last", "1", "-o", fixture.path("b.html"))
        #expect(some.output.contains(": 1 stream, 1 step, "), "\(some)")
        #expect(some.error.contains("It leaves out 1 older step.\n"))
    }

    @Test func `says that a snapshot has another state than the code computes`() async throws {
        let accounts = try await Fixture().accountsKept()
        func notes(_ name: String) async throws -> Bool {
            let result = try await Tool.inApp("page", accounts.path, "-o", accounts.fixture.path(name))
            #expect(result.status == 0, "\(result)")
            return result.error.contains("The snapshot of step 4 has another state than this code computes")
        }
        #expect(try await !notes("a.html"))
        try await accounts.keepOtherState(at: 4)
        #expect(try await notes("b.html"))
        try accounts.fixture.change("UPDATE snapshot SET is_base = 1", in: accounts.path)
        #expect(try await !notes("c.html"))
    }

    @Test func `ends the states at a step that cannot be reduced, and says so`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("a", machine: "account")
        try await stream.append(contentsOf: [
            #"{"add":{"_0":1}}"#, #"{"add":{"_0":2}}"#, #"{"gone":{}}"#, #"{"add":{"_0":3}}"#,
        ])
        try await journal.close()
        let result = try await Tool.inApp("page", fixture.path("shop.db"), "-o", fixture.path("a.html"), "--json")
        #expect(result.status == 0)
        let object = try #require(try objects(result.output).first)
        #expect(object["steps"] as? Int == 4)
        #expect(object["states"] as? Int == 3)
    }
}
