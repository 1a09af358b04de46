import Foundation
import Testing
import TortureKit

/// The torture run does not blame a timer for the time in which the machine did not run its process.
@Suite struct `A heartbeat` {
    @Test func `says how long the process stood still`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("beats")
        // Two seconds without a beat, and none after 3.02 s.
        try "1000000\n1010000\n3010000\n3020000\n".write(toFile: path, atomically: true, encoding: .utf8)
        let heartbeat = try Heartbeat(path)
        #expect(heartbeat.stall(from: 1_000_000, to: 3_020_000) == 2_000_000)
        #expect(heartbeat.stall(from: 2_010_000, to: 3_020_000) == 1_000_000)
        #expect(heartbeat.stall(from: 3_010_000, to: 3_520_000) == 500_000)
        #expect(heartbeat.stall(from: 1_000_000, to: 1_010_000) == 0)
    }

    @Test func `must have been written`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: CocoaError.self) { try Heartbeat(folder.path("beats")) }
    }
}
