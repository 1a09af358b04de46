@testable import JournalStore

/// A queue that is identified by its name. Its JSON contains its rule and a note as well, so equal lanes have different
/// texts.
struct Lane: EffectQueue {
    enum Kind: String, Codable, CaseIterable { case newest, discarding, suspending }

    var name = "lane"
    var kind = Kind.suspending
    var maxCount = 1
    /// In seconds.
    var delay = 0
    var note = 0

    var effectQueuePolicy: EffectQueuePolicy {
        switch kind {
        case .newest: .runNewest(maxCount: maxCount)
        case .discarding: .runOldest(maxCount: maxCount, .discardNew)
        case .suspending: .runOldest(maxCount: maxCount, .suspendNew)
        }
    }
    var effectQueueDelay: EffectQueueDelay { .constant(.seconds(delay)) }

    static func == (left: Lane, right: Lane) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// An ID that is identified by its name. Its JSON contains a note as well.
struct Ticket: EffectIDProtocol {
    var name: String
    var note = 0

    static func == (left: Ticket, right: Ticket) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
