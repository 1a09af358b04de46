import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `serve` {
    #if !Serve
        @Test func `says how to get it if the program was built without it`() async throws {
            let fixture = try Fixture()
            let result = try await Tool.run("serve", try await fixture.shop())
            #expect(result.status == 64)
            #expect(result.output == "")
            #expect(
                result.error.hasPrefix(
                    "Error: This program was built without 'serve', which needs libmicrohttpd. Install it (on Debian: "
                        + "apt-get install libmicrohttpd-dev) and build with: swift build --traits Serve. In a package of your own, enable the trait "
                        + "in the dependency on JournalStore instead: traits: [\"Serve\"]\n"))
        }
    #endif

    @Test(arguments: ["0", "65536", "-1", "http"]) func `takes a port that can exist`(port: String) async throws {
        let fixture = try Fixture()
        let result = try await Tool.run("serve", try await fixture.shop(), "--port", port)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: '--port' takes a number from 1 to 65535, not '\(port)'."))
    }

    @Test func `is not the command of other processes, which the help does not list`() {
        let table = CommandTable.tool
        #expect(table.command("answer") != nil)
        #expect(!table.commands.contains { $0.name == "answer" })
        #expect(table.commands.contains { $0.name == "serve" })
    }
}
