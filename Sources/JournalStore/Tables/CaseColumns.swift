/// The columns of a ``TransitionIndex`` for inputs or for states: the cases that rows name by a value, and one for all
/// others. A type that is not an enum has one column.
struct CaseColumns<Value: Sendable>: Sendable {
    private let tag = EnumTag<Value>()
    private let last: Int

    var all: ClosedRange<Int> { 0...last }

    init(_ patterns: [TransitionPattern<Value>]) {
        last = patterns.compactMap(\.cases).joined().max().map { $0 + 1 } ?? 0
    }

    func column(of value: Value) -> Int {
        guard let tag else { return 0 }
        return min(tag.of(value), last)
    }
}

extension TransitionPattern {
    /// The columns of the cases that its values have; nil if it can match in every column.
    var cases: [Int]? {
        guard let tag = EnumTag<Value>(), case .values(let values) = kind else { return nil }
        let cases = values.map { tag.of($0) }
        return cases.allSatisfy { $0 < EnumTag<Value>.listLimit } ? cases : nil
    }
}

extension TransitionPattern {
    /// Whether it can match a value of the same case, whatever the payload is.
    func canMatch(caseOf value: Value) -> Bool {
        switch kind {
        case .any, .predicate: true
        case .values(let values):
            EnumTag<Value>().map { tag in values.contains { tag.of($0) == tag.of(value) } } ?? true
        case .enumCase(let isDecided): test(value) || !isDecided(value)
        case .oneOf(let patterns): patterns.contains { $0.canMatch(caseOf: value) }
        }
    }
}
