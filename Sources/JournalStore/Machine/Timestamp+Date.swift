#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Timestamp {
    /// The moment as a date.
    public var date: Date {
        // `Date` counts from the reference date: relative to it, each microsecond of this century is exact.
        let (since, isFar) = microseconds.subtractingReportingOverflow(Self.reference)
        return Date(
            timeIntervalSinceReferenceDate: isFar
                ? Double(microseconds) / 1_000_000 - Double(Self.reference) / 1_000_000 : Double(since) / 1_000_000)
    }

    /// In microseconds.
    private static let reference = referenceDate * 1_000_000

    /// The moment nearest to a date.
    public init(_ date: Date) {
        let exact = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        // A date outside the range of `Timestamp` becomes the nearest value.
        self.init(microseconds: Int64(exactly: exact)?.addingSaturating(Self.reference) ?? (exact < 0 ? .min : .max))
    }
}
