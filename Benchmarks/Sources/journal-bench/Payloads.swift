internal import CFloor

/// The actions to append, repeated as needed: a small enum as `JSONEncoder` writes it. Made before any measurement.
struct Payloads: Sendable {
    static let count = 4_000

    let actions: [String]
    private let text: [UInt8]
    private let ends: [Int32]
    private let digests: [UInt8]

    init() {
        let items = ["apple", "pear", "plum", "cherry", "quince", "orange", "lemon", "fig"]
        actions = (0..<Payloads.count).map { number in
            #"{"add":{"count":\#(number * 7 % 1_000),"item":"\#(items[number % items.count])"}}"#
        }
        text = actions.flatMap(\.utf8)
        var end: Int32 = 0
        ends = actions.map { action in
            end += Int32(action.utf8.count)
            return end
        }
        // As incompressible as real digests; the floor does not use their values.
        digests = (0..<Payloads.count * 16).map { _ in .random(in: .min ... .max) }
    }

    /// The action of a step.
    subscript(step: Int) -> String { actions[step % Payloads.count] }

    /// The actions of one transaction among many.
    ///
    /// - Parameter size: a divisor of ``count``.
    func batch(_ number: Int, of size: Int) -> ArraySlice<String> {
        let start = number * size % Payloads.count
        return actions[start..<start + size]
    }

    var averageSize: Double { Double(text.count) / Double(Payloads.count) }

    /// Passes the payloads in C's form.
    func withC<Value>(_ body: (inout cfloor_payloads) throws -> Value) rethrows -> Value {
        try text.withUnsafeBufferPointer { text in
            try ends.withUnsafeBufferPointer { ends in
                try digests.withUnsafeBufferPointer { digests in
                    var payloads = cfloor_payloads(
                        text: text.baseAddress, ends: ends.baseAddress, digests: digests.baseAddress,
                        count: Int32(Payloads.count))
                    return try body(&payloads)
                }
            }
        }
    }
}
