/// An action to be appended. Its digests are computed here, by the caller and not by the writer.
package struct NewEntry: Sendable {
    /// A dispatch ID, and what a later dispatch with the same ID is compared with.
    struct Dispatch: Sendable {
        let id: String
        /// The digest of the action.
        let action: Digest
    }

    /// The versions of a machine that can be stored.
    static let versions = 0...1 << 53

    package let stream: StreamID
    package let origin: Origin
    /// Whether it counts only if its effect is still live when its turn comes.
    package let isProvisional: Bool
    package let cause: Cause?
    package let version: Int
    package let action: String
    let dispatch: Dispatch?
    /// The ID by which a reducer can cancel everything that this action leads to.
    package let cancelID: String?
    private(set) var body = Digest(high: 0, low: 0)

    package init(
        stream: StreamID, action: String, version: Int = 1, origin: Origin = .dispatched, cause: Cause? = nil,
        isProvisional: Bool = false, dispatchID: String? = nil, cancelID: String? = nil
    ) {
        (self.stream, self.origin, self.cause, self.version) = (stream, origin, cause, version)
        self.isProvisional = isProvisional
        (self.action, self.cancelID) = (action, cancelID)
        dispatch = dispatchID.map { Dispatch(id: $0, action: Digest(of: action)) }
        body = Digest.body(of: self)
    }

    /// The dispatch ID: appending again with the same ID returns the first step.
    package var dispatchID: String? { dispatch?.id }

    var storedOrigin: StoredOrigin { StoredOrigin(origin, isProvisional: isProvisional) }
}

extension NewEntry {
    /// A copy with another text for its action.
    package func with(action: String) -> NewEntry {
        NewEntry(
            stream: stream, action: action, version: version, origin: origin, cause: cause,
            isProvisional: isProvisional, dispatchID: dispatchID, cancelID: cancelID)
    }
}
