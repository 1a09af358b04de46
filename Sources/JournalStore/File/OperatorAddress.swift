/// Where the process that holds a journal listens for operators: in the journal's folder, or, if that path is too long
/// for a socket, in the folder for temporary files under a name that nobody can guess.
package struct OperatorAddress: Hashable, Sendable {
    /// As the sidecar has it: a name in the journal's folder, or an absolute path.
    let name: String
    package let path: String

    /// The beginning of a name that cannot be guessed.
    private static let hidden = "/tmp/journal-"

    /// Whether it is in the folder for temporary files.
    package var isTemporary: Bool { name.hasPrefix(Self.hidden) }

    /// Where a process listens that opens this file.
    init(besides file: String, random: [UInt8], mostBytes: Int = LocalSocket.mostPathBytes) {
        let usual = FileBeside.socket.path(of: file)
        if usual.utf8.count <= mostBytes {
            (name, path) = (Platform.name(of: usual), usual)
        } else {
            path = FileBeside.socket.path(of: Self.hidden + random.hexadecimal)
            name = path
        }
    }

    /// The address that a sidecar names; nil if there is none, or if no opening writes such a name.
    init?(named name: String, besides file: String) {
        guard FileBeside.socket.journal(of: name) != nil, !name.utf8.contains(0) else { return nil }
        let slash = UInt8(ascii: "/")
        if name.utf8.first == slash {
            guard name.hasPrefix(Self.hidden), !name.utf8.dropFirst("/tmp/".utf8.count).contains(slash) else {
                return nil
            }
            path = name
        } else {
            guard name == FileBeside.socket.path(of: Platform.name(of: file)) else { return nil }
            path = FileBeside.socket.path(of: file)
        }
        self.name = name
    }

    /// Deletes the socket of a process that was killed. A socket in the folder for temporary files stays if a process
    /// listens at it: this journal can be a copy, and its -lock still names the socket of the original.
    static func removeRemains(_ name: String, besides file: String) {
        guard let left = OperatorAddress(named: name, besides: file) else { return }
        if left.isTemporary, let connection = LocalSocket.connect(to: left.path, timeout: .milliseconds(100)) {
            return LocalSocket.closeSocket(connection)
        }
        LocalSocket.remove(left.path)
    }
}

/// The process that holds a journal, as an operator sees it.
package struct JournalHolder: Hashable, Sendable {
    /// Its process ID.
    package let process: Int
    /// The computer it runs on.
    package let host: String
    /// Whether that is this computer.
    package let isHere: Bool
    /// Where it listens for operators; nil if it does not.
    package let address: OperatorAddress?

    /// The process that holds a journal right now; nil if there is none.
    ///
    /// - Throws: ``JournalError`` if that cannot be known.
    package init?(of file: String) throws(JournalError) {
        guard let (holder, socket) = try Sidecar.current(besides: file) else { return nil }
        (process, host, isHere) = (Int(holder.identity.process), holder.identity.host, holder.identity.isHere)
        address = OperatorAddress(named: socket, besides: file)
    }
}
