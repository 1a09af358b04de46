/// A plain file that is read or written from its beginning to its end.
struct ByteFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Creates a file; the path must not exist.
    init(creating path: String) throws(JournalError) {
        guard let descriptor = Platform.create(path) else {
            let code = Platform.lastError
            throw JournalError(
                .cannotOpen, "The file cannot be created (\(Platform.message(forError: code))).",
                advice: "Check the path, and that this user may write there.", file: path, underlying: code)
        }
        self.descriptor = descriptor
        self.path = path
    }

    init(reading path: String) throws(JournalError) {
        guard let descriptor = Platform.openForReading(path) else {
            let code = Platform.lastError
            throw JournalError(
                .cannotOpen, "The file cannot be opened (\(Platform.message(forError: code))).",
                advice: "Check the path.", file: path, underlying: code)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Platform.closeFile(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(JournalError) {
        guard Platform.writeAll(bytes, to: descriptor) else {
            let code = Platform.lastError
            throw JournalError(
                code == Platform.noRoom ? .diskFull : .inputOutput,
                "The file could not be written (\(Platform.message(forError: code))).",
                advice: "The incomplete file is removed; free disk space and try again.", file: path, underlying: code)
        }
    }

    func sync() throws(JournalError) {
        guard Platform.sync(path) else {
            let code = Platform.lastError
            throw JournalError(
                .inputOutput, "The file could not be synced (\(Platform.message(forError: code))).", file: path,
                underlying: code)
        }
    }

    /// The next bytes; nil at the end.
    func read() throws(JournalError) -> [UInt8]? {
        guard let bytes = Platform.readSome(descriptor, upTo: 1 << 16) else {
            let code = Platform.lastError
            throw JournalError(
                code == Platform.isFolder ? .cannotOpen : .inputOutput,
                "The file could not be read (\(Platform.message(forError: code))).", advice: "Check the path.",
                file: path, underlying: code)
        }
        return bytes.isEmpty ? nil : bytes
    }
}
