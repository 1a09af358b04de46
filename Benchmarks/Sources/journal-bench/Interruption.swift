import Foundation

/// Cleans up when someone loses patience, and ends the process as the signal would have.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ cleanUp: @escaping @Sendable () -> Void) {
        sources = [SIGHUP, SIGINT, SIGTERM].map { number in
            // A source only hears of a signal whose own action is switched off.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                // What still runs finds its files gone; nobody needs to read of that.
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
