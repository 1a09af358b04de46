/// What the openings of a stream have left that ended before they were stable, for people: a ``CrashLoopRecord``.
package struct CrashLoop: Hashable, Sendable {
    /// The name of the stream.
    package let stream: String
    /// How many openings in a row were not stable. If an app has the stream open, the present one is the last of them.
    package let openings: Int
    /// The restored effects that may have ended the process: all between these two.
    package let suspects: ClosedRange<RunKey>?

    /// After so many openings, the next one holds back restored effects, unless the app sets another limit.
    package static let usualLimit = 3

    /// - Returns: nil if the stream has no record, or one that this version cannot read.
    package init?(_ stream: StreamInfo) {
        guard let record = CrashLoopRecord(of: stream) else { return nil }
        (self.stream, openings, suspects) = (stream.name, record.openings, record.suspects?.keys)
    }
}
