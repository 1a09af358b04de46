import Testing

@testable import JournalStore

@Suite struct `Machine, stored queue rules` {
    struct Queue: EffectQueue, CustomTestStringConvertible {
        var policy = 0
        var count = 1
        var from = 0.0
        var to = 0.0

        var effectQueuePolicy: EffectQueuePolicy {
            switch policy {
            case 0: .runNewest(maxCount: count)
            case 1: .runOldest(maxCount: count, .suspendNew)
            default: .runOldest(maxCount: count, .discardNew)
            }
        }
        var effectQueueDelay: EffectQueueDelay { .random(from...to) }
        var testDescription: String { "\(effectQueuePolicy), \(from) to \(to) s" }

        static let all = [0, 1, 2].flatMap { policy in
            [
                Queue(policy: policy), Queue(policy: policy, count: 7, from: 0.25, to: 0.25),
                Queue(policy: policy, count: .max, from: 0, to: 1.5), Queue(policy: policy, count: 0),
                Queue(policy: policy, count: -3, from: 1e9, to: 2e9),
            ]
        }
    }

    @Test(arguments: Queue.all) func `a queue rule is decoded as it was encoded`(_ queue: Queue) throws {
        let codec = JSONCodec()
        let rule = QueueRule(queue)
        let again = try codec.decode(QueueRule.self, from: try codec.encode(rule))
        #expect(again == rule)
        #expect(again.policy == queue.effectQueuePolicy)
        #expect(again.delay == queue.effectQueueDelay)
        #expect(again.maxCount == queue.count)
    }

    @Test func `a queue rule is stored as JSON in microseconds`() throws {
        #expect(
            try JSONCodec().encode(QueueRule(Queue(policy: 2, count: 3, from: 0.5, to: 1)))
                == #"{"delay":[500000,1000000],"maxCount":3,"policy":"discardNew"}"#)
        #expect(
            try JSONCodec().encode(QueueRule(Queue(policy: 0))) == #"{"maxCount":1,"policy":"runNewest"}"#)
    }

    @Test(arguments: [1, 30, 100, 333, 1_001, 86_400_001])
    func `a delay is stored to the microsecond`(_ milliseconds: Int) throws {
        struct Waiting: Newest1EffectQueue {
            var milliseconds: Int
            var effectQueueDelay: EffectQueueDelay { .constant(.milliseconds(milliseconds)) }
        }
        let delay = QueueRule(Waiting(milliseconds: milliseconds)).delay.range.lowerBound
        #expect(abs((delay - .milliseconds(milliseconds)).inSeconds) < 1e-7)
    }

    @Test(arguments: [(0, 0, true), (1, 0, false), (2, 0, true), (0, 2, true), (1, 2, true), (2, 2, true)])
    func `all rules but plain waiting decide more than the order`(_ policy: Int, _ delay: Double, _ decides: Bool) {
        #expect(QueueRule(Queue(policy: policy, to: delay)).decides == decides)
    }

    @Test(arguments: ["[5000000,1000000]", "[0,9223372036854775807]", "[-9223372036854775808,-1]", "[]", "[7]"])
    func `no delay in a file traps`(_ delay: String) async throws {
        let rule = try JSONCodec().decode(
            QueueRule.self, from: #"{"delay":\#(delay),"policy":"suspendNew","maxCount":1}"#)
        #expect(rule.delay.range.lowerBound >= .zero)
        #expect(rule.delay.range.contains(rule.delay.drawn(.max)))
    }
}
