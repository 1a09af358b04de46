import Foundation
import JournalStore
import Testing
import TortureKit

@Suite struct `The page about operating a journal` {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/operating.md")

    /// The commands of the page in order, each with the output that the page shows.
    private static func commands() throws -> [(line: String, output: String)] {
        try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```console\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .flatMap { block in
                block.components(separatedBy: "$ ").filter { !$0.isEmpty }.map { command in
                    let end = command.firstIndex(of: "\n") ?? command.endIndex
                    return (String(command[..<end]), String(command[end...].dropFirst()))
                }
            }
    }

    /// Without what differs in each journal, on each day and for each user: digests and keys, ages, the times of acts, the user.
    private func normalized(_ text: String) -> String {
        text.replacing(#/[0-9a-f]{32}/#, with: "DIGEST").replacing(#/\(\d+ \w+\)/#, with: "(AGE)")
            .replacing(#/20\d\d-\d\d-\d\dT[0-9:.]+Z/#, with: "TIME")
            .replacing("  \(UserName.current)  ", with: "  ann  ").replacing("|\(UserName.current)|", with: "|ann|")
            .replacing(#/ {2,}/#, with: "  ")
    }

    @Test func `shows what its commands print`() async throws {
        let fixture = try Fixture()
        #expect(try await Tool.inApp("orders", fixture.path("shop.db")).status == 0)
        let all = try await Tool.inApp("effects", fixture.path("shop.db"), "--status", "completed", "--json").output
        let charge = try objects(all).first { $0["stream"] as? String == "order-17" }
        let key = try #require(charge?["idempotencyKey"] as? String)
        let commands = try Self.commands()
        #expect(commands.count > 12)
        for (line, output) in commands {
            // The key of the page belongs to another journal with the same orders.
            let command = line.replacing(#/[0-9a-f]{32}/#, with: key).replacing("journal-replay", with: "\"$1\"")
            let shell = "cd \"$2\" && { \(command); } 2>&1"
            let result = try await Tool.run(program: "/bin/sh", ["-c", shell, "sh", Tool.app, fixture.folder])
            #expect(normalized(result.output) == normalized(output), "\(line)")
        }
    }
}
