import Foundation
import Testing
import TortureKit

/// The simulator is a program of its own, because it replaces the executors of its process.
#if os(Linux) && compiler(>=6.3)
    @Suite struct `Simulated lives` {
        /// LIVES says how many.
        private static let lives = ProcessInfo.processInfo.environment["LIVES"] ?? "200"

        private func simulate(_ arguments: [String]) async throws -> Child.Outcome {
            try await Child.run(Child.program("journal-simulator"), arguments)
        }

        @Test func `random lives break no law`() async throws {
            let outcome = try await simulate(["--seeds", Self.lives, "--workers", "1"])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("\n\(Self.lives) lives in "), "\(outcome.output)")
        }

        @Test func `random operations have the answers that the model gives`() async throws {
            let outcome = try await simulate(["--operations", "20000", "--workers", "1"])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("operation: 20000\n"), "\(outcome.output)")
        }

        @Test func `two processes make the same trace of a seed`() async throws {
            let first = try await simulate(["--trace", "7"])
            #expect(first.status == 0 && first.output.contains("\ntrace "), "\(first.output)\(first.errors)")
            #expect(try await simulate(["--trace", "7"]) == first)
        }

        @Test func `wrong arguments are refused with the usage`() async throws {
            for arguments in [["--seeds"], ["--seeds", "many"], ["--what", "1"], ["--workers", "0"]] {
                let outcome = try await simulate(arguments)
                #expect(outcome.status == 64 && outcome.errors.hasPrefix("usage: journal-simulator"), "\(arguments)")
            }
        }
    }
#endif
