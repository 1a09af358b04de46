import Foundation
import Testing
import TortureKit

/// Files with an odd value in some column, with digests that fit.
@Suite struct `Odd values` {
    /// VALUES says how many of them are tried; all if it is large.
    private static let count = ProcessInfo.processInfo.environment["VALUES"].flatMap { Int($0) } ?? 25

    private static let commands: [[String]] = [
        ["info"], ["streams"], ["log"], ["log", "--json", "--last", "5"], ["effects"], ["effects", "--json"],
        ["verify"],
        ["snapshots"], ["show", "30", "--stream", "rich"], ["show", "40", "--stream", "rich", "--json"],
        ["effects", "show", "35.0", "--stream", "rich"], ["prune", "--before", "40", "--stream", "rich"],
        ["cancel", "35.0", "--stream", "rich", "--yes"], ["skip", "50", "--stream", "rich", "--yes"],
        ["release", "36.0", "--stream", "rich", "--yes"],
    ]

    @Test func `every command ends with a status of its own`() async throws {
        let fuzz = try await RowFuzz()
        let folder = try TemporaryFolder()
        var statuses: Set<Int32> = []
        for index in stride(from: 0, to: fuzz.count, by: max(1, fuzz.count / Self.count)) {
            let path = folder.path("\(index).db")
            guard let what = try fuzz.make(index, at: path) else { continue }
            for command in Self.commands {
                let words = [command[0], path] + command.dropFirst()
                let result = try await Tool.run(program: Tool.path, words)
                #expect([0, 1, 64, 65, 66, 74].contains(result.status), "\(what): \(command): \(result)")
                #expect(!(result.output + result.error).contains("\u{1b}"), "\(what): \(command)")
                statuses.insert(result.status)
            }
        }
        #expect(statuses.contains(0) && statuses.contains(65))
    }
}
