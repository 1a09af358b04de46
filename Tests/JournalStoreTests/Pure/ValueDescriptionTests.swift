import Testing

@testable import JournalStore

@Suite struct `Pure, described values` {
    @Test(arguments: [Int.min, -1, 0, 5]) func `a line is broken wherever it can be if the width is too small`(
        _ width: Int
    ) {
        #expect(ValueDescription(of: [1, 2], width: width).description == "[\n    1,\n    2\n]")
        #expect(ValueDescription(of: 1, width: width).description == "1")
    }

    /// A key that does not show what it is, such as a secret.
    private struct Secret: Hashable, CustomStringConvertible {
        var value: Int
        var description: String { "<secret>" }
    }

    /// The order of a hash table depends on its size, too.
    @Test func `entries whose keys are described alike are in the order of their values`() {
        let few = Dictionary(uniqueKeysWithValues: (1...50).map { (Secret(value: $0), 100 + $0) })
        var many = Dictionary(uniqueKeysWithValues: (1...5_000).map { (Secret(value: $0), 100 + $0) })
        for number in 51...5_000 { many[Secret(value: number)] = nil }
        #expect(ValueDescription(of: few).description == ValueDescription(of: many).description)
        #expect(ValueDescription(of: few, width: .max).description.hasPrefix("[<secret>: 101, <secret>: 102, "))
    }

    /// Each would be compared with all others otherwise, which takes a minute.
    @Test func `a diff of many keys that are described alike compares each with few others`() {
        let (old, new) = (1...500, 501...1_000)
        func secrets(_ numbers: ClosedRange<Int>) -> [Secret: Int] {
            Dictionary(uniqueKeysWithValues: numbers.map { (Secret(value: $0), $0) })
        }
        let diff = ValueDiff(from: secrets(old), to: secrets(new))
        #expect(diff.changes.count > 100)
        #expect(ValueDiff(from: [Double.nan: 1], to: [Double.nan: 1]).changes.isEmpty)
    }

    @Test(arguments: [6, Int.max]) func `a line that fits the width is not broken`(_ width: Int) {
        #expect(ValueDescription(of: [1, 2], width: width).description == "[1, 2]")
    }
}
