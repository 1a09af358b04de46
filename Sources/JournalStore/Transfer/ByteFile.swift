/// A plain file that is read or written from its beginning to its end.
struct ByteFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Creates a file; the path must not exist.
    init(creating path: String) throws(JournalError) {
        guard let descriptor = Platform.create(path) else {
            throw JournalError.system(
                .cannotOpen, "The file cannot be created",
                advice: "Check the path, and that this user may write there.", file: path)
        }
        self.descriptor = descriptor
        self.path = path
    }

    init(reading path: String) throws(JournalError) {
        guard let descriptor = Platform.openForReading(path) else {
            throw JournalError.system(.cannotOpen, "The file cannot be opened", advice: "Check the path.", file: path)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Platform.closeFile(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(JournalError) {
        guard Platform.writeAll(bytes, to: descriptor) else {
            throw JournalError.system(
                Platform.lastError == Platform.noRoom ? .diskFull : .inputOutput, "The file could not be written",
                advice: "The incomplete file is removed; free disk space and try again.", file: path)
        }
    }

    func sync() throws(JournalError) {
        guard Platform.sync(path) else {
            throw JournalError.system(.inputOutput, "The file could not be synced", file: path)
        }
    }

    /// The next bytes; nil at the end.
    func read() throws(JournalError) -> [UInt8]? {
        guard let bytes = Platform.readSome(descriptor, upTo: 1 << 16) else {
            throw JournalError.system(
                Platform.lastError == Platform.isFolder ? .cannotOpen : .inputOutput, "The file could not be read",
                advice: "Check the path.", file: path)
        }
        return bytes.isEmpty ? nil : bytes
    }
}
