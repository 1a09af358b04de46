/// Identifies a stream inside one journal, for as long as the journal exists.
package struct StreamID: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}
