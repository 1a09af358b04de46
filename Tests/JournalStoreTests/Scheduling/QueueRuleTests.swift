import Foundation
import Testing

@testable import JournalStore

@Suite struct `Scheduling, a queue's rule` {
    static let queues: [Named<JobQueue>] = [
        Named("newest", .newest(3)),
        Named("suspending", .suspending(2)),
        Named("discarding", .discarding(1)),
        Named("with a delay", .newest(1, delay: .constant(1.5))),
        Named("with a random delay", .suspending(7, delay: .random(0.25...8))),
    ]

    @Test(arguments: queues) func `a rule keeps policy and delay, also as text`(_ test: Named<JobQueue>) throws {
        let rule = QueueRule(test.value)
        let read = try JSONDecoder().decode(QueueRule.self, from: JSONEncoder().encode(rule))
        #expect(read == rule)
        #expect(read.policy == test.value.effectQueuePolicy)
        #expect(read.delay == test.value.effectQueueDelay)
        #expect(read.maxCount == test.value.effectQueuePolicy.maxCount)
    }

    @Test func `an end decides other starts if the queue evicts, discards or has a delay`() {
        #expect(QueueRule(JobQueue.newest(1)).decides)
        #expect(QueueRule(JobQueue.discarding(1)).decides)
        #expect(!QueueRule(JobQueue.suspending(1)).decides)
        #expect(QueueRule(JobQueue.suspending(1, delay: .constant(1))).decides)
        #expect(QueueRule(JobQueue.suspending(1, delay: .random(0...1))).decides)
    }

    @Test func `delay bounds in the wrong order are read without a trap`() throws {
        let text = #"{"policy":"suspendNew","maxCount":1,"delay":[5000000,1000000]}"#
        let rule = try JSONDecoder().decode(QueueRule.self, from: Data(text.utf8))
        #expect(rule.delay == .random(1.0...5.0))
    }
}
