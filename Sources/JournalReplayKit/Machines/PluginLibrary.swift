import CJournalReplay
import JournalStore

/// The tool's side: a loaded library with machines. It is never unloaded, because Swift code cannot be.
struct PluginLibrary: MachineService {
    let path: String
    private let call: Call
    private let codec = JSONCodec()

    private typealias Call =
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutableRawPointer?, journal_replay_answer?) -> Void
    private typealias EntryPoint = @convention(c) () -> UnsafePointer<journal_replay_plugin>?

    static let symbol = "journal_replay_machines"

    /// - Throws: ``JournalError`` if the file does not exist, is not a library, or has no machines.
    init(path: String) throws {
        // dlopen searches other folders for a name without a slash: https://man7.org/linux/man-pages/man3/dlopen.3.html
        let file = path.contains("/") ? path : "./" + path
        guard let status = Platform.status(ofPath: file) else {
            throw JournalError(
                .cannotOpen, "There is no such library.", advice: "Build it, and give its path with --machine.",
                file: path)
        }
        // Opening a pipe would wait for a writer.
        guard status.kind == .regular else {
            throw JournalError(.cannotOpen, "The library is not a file.", file: path)
        }
        let symbol: UnsafeMutableRawPointer
        switch System.load(file, symbol: PluginLibrary.symbol) {
        case .found(let address): symbol = address
        case .noSymbol:
            throw JournalError(
                .badArgument, "The library has no function \(PluginLibrary.symbol).",
                advice: "Its package needs one line: see `ReplayPlugin`.", file: path)
        case .failed(let reason):
            throw JournalError(.cannotOpen, "The library cannot be loaded (\(reason)).", file: path)
        }
        let table = unsafeBitCast(symbol, to: EntryPoint.self)()
        try self.init(path: path, table: table?.pointee)
    }

    init(path: String, table: journal_replay_plugin?) throws {
        guard let table, let call = table.call else {
            throw JournalError(.badArgument, "The library returned no table of machines.", file: path)
        }
        guard table.abi == UInt32(JOURNAL_REPLAY_ABI) else {
            throw JournalError(
                .badArgument,
                "The library has version \(table.abi) of the interface, this tool has version \(JOURNAL_REPLAY_ABI).",
                advice: "Build both with the same version of JournalReplayKit.", file: path)
        }
        self.path = path
        self.call = call
    }

    var noAnswer: JournalError {
        JournalError(
            .badArgument, "The library gave no answer.",
            advice: "Build it with the same version of JournalStore as this program.", file: path)
    }

    func call(_ request: PluginRequest, _ take: (PluginAnswer) throws -> Bool) throws {
        var error: (any Error)?
        var request = try codec.encode(request)
        try withoutActuallyEscaping(take) { take in
            let receiver = Receiver { [codec] bytes in
                do {
                    let answer = try codec.decode(PluginAnswer.self, from: String(decoding: bytes, as: UTF8.self))
                    if let failure = answer.error { throw failure.error }
                    return try take(answer)
                } catch let thrown {
                    error = thrown
                    return false
                }
            }
            withExtendedLifetime(receiver) {
                request.withUTF8 { bytes in
                    call(bytes.baseAddress, bytes.count, Unmanaged.passUnretained(receiver).toOpaque()) {
                        context, bytes, count in
                        guard let context else { return 1 }
                        let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
                        return receiver.take(UnsafeBufferPointer(start: bytes, count: count)) ? 0 : 1
                    }
                }
            }
            if let error { throw error }
        }
    }

    /// Receives the answers. It is a class because the C interface passes it as a pointer.
    private final class Receiver {
        let take: (UnsafeBufferPointer<UInt8>) -> Bool

        init(_ take: @escaping (UnsafeBufferPointer<UInt8>) -> Bool) {
            self.take = take
        }
    }
}
