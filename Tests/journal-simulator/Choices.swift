import TortureKit

/// The decisions of a life, as one sequence of numbers. The same sequence makes the same life. Zero is always the
/// plainest choice, so a shorter sequence, or one with more zeros, makes a simpler life.
final class Choices {
    private(set) var taken: [UInt32] = []
    private let given: [UInt32]?
    private var random: SplitMix

    /// Random choices.
    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        given = nil
    }

    /// These choices, and zeros after them.
    init(_ given: [UInt32]) {
        random = SplitMix(seed: 0)
        self.given = given
    }

    /// A number from 0 to `count` - 1.
    func next(_ count: Int) -> Int {
        guard count > 1 else { return 0 }
        let choice: Int
        if let given {
            choice = taken.count < given.count ? min(Int(given[taken.count]), count - 1) : 0
        } else {
            choice = Int(random.next() % UInt64(count))
        }
        taken.append(UInt32(choice))
        return choice
    }

    /// True once in `count` times.
    func isOne(in count: Int) -> Bool { next(count) == 1 }

    func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }
}
