/// Turns the bytes of a terminal into keys. An Escape byte is a key of its own if no other byte follows it soon.
struct KeyInput {
    private var keys = KeyReader()
    /// Until when more bytes can show that an Escape byte begins another key.
    private(set) var escapeEnd: ContinuousClock.Instant?

    /// The longest time that the bytes of one key take to arrive, even from a remote terminal.
    private static let escapeTime = Duration.milliseconds(50)

    /// The keys of these bytes; without bytes, an Escape key whose time is over.
    mutating func pressed(_ bytes: [UInt8]) -> [KeyPress] {
        if bytes.isEmpty {
            guard let escapeEnd, escapeEnd <= .now else { return [] }
            self.escapeEnd = nil
            return keys.giveUp()
        }
        let pressed = keys.read(bytes)
        escapeEnd = keys.isUndecided ? .now.advanced(by: KeyInput.escapeTime) : nil
        return pressed
    }
}
