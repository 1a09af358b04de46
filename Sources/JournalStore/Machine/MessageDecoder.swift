/// Decodes the messages that a machine gets with its codec, version and upcasters. It needs no environment.
struct MessageDecoder: Sendable {
    /// The receiver's machine.
    let machine: String
    let version: Int
    /// Throws if the machine cannot decode a message. The location is that of the receiver.
    let check: @Sendable (Message, ErrorLocation) throws(JournalError) -> Void
}

extension Machine {
    var messageDecoder: MessageDecoder {
        let (codec, version, upcasters) = (codec, version, actionUpcasters)
        return MessageDecoder(machine: name, version: version) { message, location throws(JournalError) in
            let (text, stored) = (message.text, message.version)
            do {
                _ = try codec.decode(Action.self, from: try upcasters.upcast(text, from: stored, to: version, codec))
            } catch {
                let isUpcast = upcasters.change(textsOf: stored, to: version)
                throw location.notDecodable(Action.self, text, stored, version, error, isUpcast: isUpcast)
            }
        }
    }
}
