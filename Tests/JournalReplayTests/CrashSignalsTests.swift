import Foundation
import Testing

@testable import JournalReplayKit

@Suite struct `The handlers of crashes` {
    private static func stackForSignals() -> (size: Int, isOn: Bool) {
        var stack = stack_t()
        sigaltstack(nil, &stack)
        return (Int(stack.ss_size), stack.ss_flags & Int32(SS_DISABLE) == 0)
    }

    /// A reducer that calls itself without end uses up the thread's own stack.
    @Test func `have a stack of their own on the thread that computes states for a walk`() async {
        let seen = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var stacks = [Self.stackForSignals()]
                CrashSignals.withStackForSignals { stacks.append(Self.stackForSignals()) }
                stacks.append(Self.stackForSignals())
                continuation.resume(returning: stacks)
            }
        }
        #expect(seen[1].isOn && seen[1].size >= 1 << 16)
        #expect(seen[2].isOn == seen[0].isOn)
    }
}
