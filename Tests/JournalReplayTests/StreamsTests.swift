import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `streams` {
    @Test func `lists each stream with its machine and its steps`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("streams", shop)
        #expect(result.status == 0)
        #expect(
            result.output == """
                NAME    MACHINE  STEPS  SETTLED  PRUNED  CREATED
                cart-1  cart         3        3       0  2025-01-01T00:00:02.000000Z
                cart-2  cart         2        0       0  2025-01-01T00:00:03.000000Z
                till    till         1        0       0  2025-01-01T00:00:04.000000Z

                """)
    }

    @Test func `writes one JSON object per stream, with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("streams", shop, "--json")
        let streams = try objects(result.output)
        #expect(try keys(ofFirstLine: result.output) == Command.streams.keys.map(\.name))
        #expect(streams.map { $0["name"] as? String } == ["cart-1", "cart-2", "till"])
        #expect(streams.map { $0["steps"] as? Int } == [3, 2, 1])
        #expect(streams.map { $0["settled"] as? Int } == [3, 0, 0])
        #expect((streams[0]["headDigest"] as? String)?.count == 32)
    }

    @Test(arguments: [
        (["--machine", "cart"], ["cart-1", "cart-2"]), (["--grep", "-2"], ["cart-2"]), (["--grep", "CART"], []),
        (["--machine", "till", "--grep", "cart"], []), (["--sort", "name"], ["cart-1", "cart-2", "till"]),
        (["--sort", "steps"], ["cart-1", "cart-2", "till"]), (["--sort", "created"], ["cart-1", "cart-2", "till"]),
    ])
    func `can be filtered and sorted`(options: [String], names: [String]) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(program: Tool.path, ["streams", shop, "--json"] + options)
        #expect(try objects(result.output).compactMap { $0["name"] as? String } == names)
        #expect(result.status == 0)
        #expect(result.error == (names.isEmpty ? "No stream matches.\n" : ""))
    }

    @Test func `are sorted by the requested key`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        for (name, steps) in [("b", 1), ("c", 3), ("a", 2)] {
            try await journal.openStream(name, machine: "m").append(contentsOf: (0..<steps).map { "\($0)" })
        }
        try await journal.close()
        func names(_ options: String...) async throws -> [String] {
            let result = try await Tool.run(
                program: Tool.path, ["streams", fixture.path("shop.db"), "--json"] + options)
            return try objects(result.output).compactMap { $0["name"] as? String }
        }
        #expect(try await names() == ["b", "c", "a"])
        #expect(try await names("--sort", "name") == ["a", "b", "c"])
        #expect(try await names("--sort", "steps") == ["c", "a", "b"])
        #expect(try await names("--sort", "created") == ["b", "c", "a"])
    }
}
