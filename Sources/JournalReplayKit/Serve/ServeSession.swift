#if Serve
    import Dispatch
    import JournalStore

    /// Serves a page until a signal ends it.
    ///
    /// `@unchecked Sendable`: its methods are called one after the other, and only they use its properties.
    final class ServeSession: @unchecked Sendable {
        /// The pages get a batch ten times a second at most.
        private static let pause = 100
        /// How many times as long as a look took to wait after it: the app has the processor meanwhile.
        private static let restFactor = 5
        /// How long to wait before reading again after an error.
        private static let patience = 1_000

        private let reader: JournalReader
        private let page: LivePage
        private let journal: LiveJournal
        private let server: PageServer
        private let signals: SignalPipe
        private var watch: JournalWatch
        private let served: WatchedFile
        private let tool: ToolName

        let rules: ServeRules

        /// Reads the journal, and starts the server.
        init(
            _ reader: JournalReader, _ options: ServeOptions, _ machines: Machines, _ children: ReplayChildren?
        ) throws {
            guard let file = reader.file, let signals = SignalPipe() else {
                throw JournalError(.inputOutput, "There are too many open files in this process.")
            }
            (self.reader, self.signals, tool) = (reader, signals, options.page.tool)
            page = LivePage(options.page.redaction)
            watch = JournalWatch(file)
            served = WatchedFile(reader)
            _ = watch.mayHaveChanged()
            journal = try LiveJournal(reader, options.page) { [page] in page.apply($0) }
            let last = try reader.lastPosition()
            while try journal.read() { machines.progress.show(journal.position, of: last, ("read", "steps")) }
            machines.progress.end()
            System.surviveClosedPipe()
            let secrets = ServeSecrets()
            server = try PageServer(port: options.port) { [page] port in
                let rules = ServeRules(port: port, secrets: secrets, allowsChanges: options.allowsChanges)
                return PageService(rules, page, reader, options.page, machines, children) { signals.wake() }
            }
            rules = server.rules
            signals.handle(SignalPipe.endings)
        }

        /// Shows what is new, until a signal arrives.
        func run() {
            // This can be another thread than the one that made the pipe.
            SignalPipe.letThrough(SignalPipe.endings)
            var pause = ServeSession.pause
            while true {
                _ = System.waitForInput([signals.readEnd], milliseconds: pause)
                let numbers = signals.numbers()
                if !numbers.isDisjoint(with: SignalPipe.endings) { break }
                // The byte 0 says that an act was carried out.
                guard watch.mayHaveChanged() || !numbers.isEmpty else { continue }
                let start = ContinuousClock.now
                do {
                    try served.check()
                    while try journal.read() {}
                    page.set(problem: nil)
                } catch {
                    page.set(problem: tool.inCommands(of: "\(error)"))
                    pause = ServeSession.patience
                    watch = JournalWatch(reader.file ?? "")
                    continue
                }
                let time = Int(start.duration(to: .now) / .milliseconds(1))
                pause = max(ServeSession.pause, time * ServeSession.restFactor)
            }
            stop()
        }

        /// Ends the connections. One that computes a state is not waited for long: the process ends then.
        private func stop() {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "journal-replay.stop").async { [server] in
                server.stop()
                done.signal()
            }
            _ = done.wait(timeout: .now() + .seconds(2))
        }
    }
#endif
