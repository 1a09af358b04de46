@testable import JournalStore

/// A queue that is identified by its name, so that another instance can have another policy.
struct JobQueue: EffectQueue {
    var name = "jobs"
    var effectQueuePolicy = EffectQueuePolicy.runOldest(maxCount: 1, .suspendNew)
    var effectQueueDelay = EffectQueueDelay.zero

    private enum CodingKeys: CodingKey { case name }

    static func == (left: JobQueue, right: JobQueue) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    static func newest(_ count: Int, delay: EffectQueueDelay = .zero, name: String = "jobs") -> JobQueue {
        JobQueue(name: name, effectQueuePolicy: .runNewest(maxCount: count), effectQueueDelay: delay)
    }

    static func suspending(_ count: Int, delay: EffectQueueDelay = .zero, name: String = "jobs") -> JobQueue {
        JobQueue(name: name, effectQueuePolicy: .runOldest(maxCount: count, .suspendNew), effectQueueDelay: delay)
    }

    static func discarding(_ count: Int, delay: EffectQueueDelay = .zero, name: String = "jobs") -> JobQueue {
        JobQueue(name: name, effectQueuePolicy: .runOldest(maxCount: count, .discardNew), effectQueueDelay: delay)
    }
}

/// An ID to cancel by.
struct JobID: EffectIDProtocol {
    var name: String

    init(_ name: String) { self.name = name }
}

/// Another type of ID with the same value inside.
struct OtherID: EffectIDProtocol {
    var name: String

    init(_ name: String) { self.name = name }
}
