import Foundation

/// Cleans up on an interrupting signal, and then ends the process as the signal would have.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ cleanUp: @escaping @Sendable () -> Void) {
        sources = [SIGHUP, SIGINT, SIGTERM].map { number in
            // A source only receives a signal whose default action is disabled.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                // Silence errors: work that is still running finds its files removed.
                dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
                cleanUp()
                signal(number, SIG_DFL)
                raise(number)
            }
            source.activate()
            return source
        }
    }

    func forget() {
        for source in sources { source.cancel() }
    }
}
