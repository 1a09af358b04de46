import Foundation

/// Formats numbers independently of the locale, for programs and diffs.
enum NumberText {
    static func decimal(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    /// With a comma between thousands.
    static func grouped(_ value: Double) -> String {
        let digits = Array(decimal(value, 0))
        return digits.indices.map { index in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digits[index])" : "\(digits[index])"
        }.joined()
    }

    /// For names: 1,000, 100 k, 1 M.
    static func short(_ count: Int) -> String {
        switch count {
        case 1_000_000... where count.isMultiple(of: 1_000_000): "\(count / 1_000_000) M"
        case 10_000... where count.isMultiple(of: 1_000): "\(count / 1_000) k"
        default: grouped(Double(count))
        }
    }
}
