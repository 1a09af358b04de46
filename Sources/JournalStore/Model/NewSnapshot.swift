/// A snapshot to be stored. The digest of its state is computed here, by the caller and not by the writer.
package struct NewSnapshot: Hashable, Sendable {
    package let stream: StreamID
    package let step: Int
    package let version: Int
    package var isBase: Bool
    package let state: String
    let stateDigest: Digest

    package init(stream: StreamID, step: Int, version: Int, isBase: Bool = false, state: String) {
        (self.stream, self.step, self.version, self.isBase, self.state) = (stream, step, version, isBase, state)
        stateDigest = Digest(of: state)
    }
}
