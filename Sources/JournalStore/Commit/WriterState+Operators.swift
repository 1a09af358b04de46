extension WriterState {
    /// Notes in the sidecar where operators find this process, and deletes the socket of a process that was killed.
    ///
    /// - Returns: the path of the socket to make; nil if operators are not accepted, or the journal has no sidecar.
    func takeSocket() -> String? {
        guard let file, let sidecar else { return nil }
        OperatorAddress.removeRemains(sidecar.socket, besides: file)
        sidecar.socket = ""
        guard options.acceptsOperators else { return nil }
        let address = OperatorAddress(besides: file, random: Platform.randomBytes(8))
        LocalSocket.remove(address.path)
        sidecar.socket = address.name
        return address.path
    }
}
