/// A plain file that is read or written from its beginning to its end.
package struct ByteFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Creates a file; the path must not exist.
    ///
    /// - Parameter original: the file whose owner and mode it gets; nil for those of a new journal.
    package init(creating path: String, like original: String?) throws(JournalError) {
        let advice = "Check the path, and that this user may write there."
        let model = original.flatMap { Platform.fileAccess(ofPath: $0) }
        try self.init(Platform.create(path, like: model), path, "The file cannot be created", advice)
    }

    package init(reading path: String) throws(JournalError) {
        try self.init(Platform.openForReading(path), path, "The file cannot be opened", "Check the path.")
    }

    private init(_ descriptor: Int32?, _ path: String, _ failure: String, _ advice: String) throws(JournalError) {
        guard let descriptor else { throw JournalError.system(.cannotOpen, failure, advice: advice, file: path) }
        (self.descriptor, self.path) = (descriptor, path)
    }

    deinit {
        Platform.closeFile(descriptor)
    }

    package func write(_ bytes: [UInt8]) throws(JournalError) {
        guard Platform.writeAll(bytes, to: descriptor) else {
            throw JournalError.system(
                .inputOutput, "The file could not be written", advice: "The incomplete file is removed; try again.",
                file: path)
        }
    }

    package func sync() throws(JournalError) {
        guard Platform.sync(path) else {
            throw JournalError.system(.inputOutput, "The file could not be synced", file: path)
        }
    }

    /// The next bytes; nil at the end.
    package func read() throws(JournalError) -> [UInt8]? {
        guard let bytes = Platform.readSome(descriptor, upTo: 1 << 16) else {
            throw JournalError.system(
                Platform.lastError == Platform.isFolder ? .cannotOpen : .inputOutput, "The file could not be read",
                advice: "Check the path.", file: path)
        }
        return bytes.isEmpty ? nil : bytes
    }
}
