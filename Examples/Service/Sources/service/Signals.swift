import Dispatch
import Foundation

/// Calls a function when the process is asked to end, as long as the result is kept.
func onTermination(_ end: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    // A client that is gone is an error of its connection, and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    return [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { end() }
        source.resume()
        return source
    }
}
