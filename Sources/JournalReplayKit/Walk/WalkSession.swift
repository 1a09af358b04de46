import JournalStore

/// Runs a walk: passes events to ``Walk``, executes the commands that it returns, and draws ``WalkView``.
final class WalkSession {
    /// How a walk ended.
    enum Ending {
        case quit
        case signal(Int32)
    }

    private let source: WalkSource
    private let file: WatchedFile
    private let terminal: Terminal
    private let worker: WalkWorker?
    private let start: Int?
    private var walk: Walk
    private var painter: ScreenPainter
    private var keys = KeyInput()
    /// The step whose entry to read once no key is waiting.
    private var inspection: Int?
    private var search: WalkSearch?
    private var ending: Ending?
    /// Until when the old frame stays, so that the screen does not flicker if an answer comes at once.
    private var patience: ContinuousClock.Instant?

    init(
        _ source: WalkSource, _ file: WatchedFile, _ terminal: Terminal, states: (any WalkStates)?, at step: Int?,
        usesColour: Bool,
        tool: ToolName
    ) {
        self.source = source
        self.file = file
        self.terminal = terminal
        let signals = terminal.signals
        worker = states.map { states in
            WalkWorker(
                states: states, tool: tool,
                // A stream that cannot be read is told where its steps are read.
                note: { step, pane in try? source.note(at: step, pane) },
                search: { search throws(JournalError) in
                    try file.check()
                    return try source.search(search, states)
                }
            ) {
                signals.wake()
            }
        }
        start = step
        let name = source.reader.file.map(Platform.name) ?? ""
        walk = Walk(file: name, stream: source.stream, hasStates: states != nil, size: terminal.size)
        painter = ScreenPainter(usesColour: usesColour)
    }

    /// Runs the walk to its end. Restores the screen, also if it throws.
    func run() throws(JournalError) -> Ending {
        terminal.enter()
        defer { terminal.leave() }
        try obey(Walk.start(at: start))
        var tick = ContinuousClock.now.advanced(by: .milliseconds(walk.pause))
        while true {
            try readOn()
            if let ending { return ending }
            draw()
            let pause = walk.pause
            try take(terminal.wait(milliseconds: waitingTime(until: tick)))
            if let ending { return ending }
            // A changed pace counts from now on.
            if walk.pause != pause { tick = .now.advanced(by: .milliseconds(walk.pause)) }
            if tick <= .now {
                tick = .now.advanced(by: .milliseconds(walk.pause))
                try happen(.tick)
            }
        }
    }

    // MARK: Waiting

    private func waitingTime(until tick: ContinuousClock.Instant) -> Int {
        if search != nil || inspection != nil { return 0 }
        let next = min(tick, patience ?? tick, keys.escapeEnd ?? tick)
        return max(0, Int(ContinuousClock.now.duration(to: next) / .milliseconds(1)) + 1)
    }

    private func take(_ wakeup: Terminal.Wakeup) throws(JournalError) {
        if let signal = SignalPipe.endings.first(where: wakeup.signals.contains) { ending = .signal(signal) }
        if wakeup.isGone { ending = ending ?? .quit }
        guard ending == nil else { return }
        if wakeup.signals.contains(SignalPipe.continued) { goOn() }
        if wakeup.signals.contains(SignalPipe.stop) { try obey([.suspend]) }
        if wakeup.signals.contains(SignalPipe.changedSize) { try takeSize() }
        if let answer = worker?.answer() {
            patience = nil
            try happen(.answered(answer))
        }
        if let found = worker?.found() { try happen(.searched(found.search, try found.result.get())) }
        for key in keys.pressed(wakeup.bytes) where ending == nil { try happen(.key(key)) }
    }

    private func takeSize() throws(JournalError) {
        painter.forget()
        try happen(.resized(terminal.size))
    }

    private func goOn() {
        terminal.resume()
        painter.forget()
    }

    // MARK: Reading and drawing

    /// Does the reading that can wait until no key is waiting.
    private func readOn() throws(JournalError) {
        guard !terminal.hasInput else { return }
        if let step = inspection {
            inspection = nil
            try file.check()
            try happen(try source.detail(of: step).map { .inspected($0) } ?? .missing(step))
        }
        if let search {
            self.search = nil
            try file.check()
            try happen(.searched(search, try source.search(search)))
        }
    }

    private func draw() {
        if let patience, patience > .now { return }
        patience = nil
        terminal.write(painter.paint(WalkView(walk: walk).frame))
    }

    // MARK: Commands

    private func happen(_ event: WalkEvent) throws(JournalError) {
        try obey(walk.handle(event))
    }

    private func obey(_ commands: [WalkCommand]) throws(JournalError) {
        for command in commands {
            switch command {
            case .load(let step):
                try file.check()
                try happen(.loaded(try source.window(around: step), around: step))
            case .inspect(let step):
                inspection = step
                if worker != nil { patience = .now.advanced(by: .milliseconds(40)) }
            case .ask(let step, let pane):
                try file.check()
                worker?.ask(step, pane)
            case .look(let step):
                try file.check()
                let detail = try step.flatMap { step throws(JournalError) in try source.detail(of: step) }
                try happen(.looked(try source.info(), detail))
            // States are computed in the background.
            case .search(let search): if let worker { worker.search(search) } else { self.search = search }
            case .ring: terminal.write("\u{7}")
            case .redraw: painter.forget()
            case .suspend:
                terminal.suspend()
                painter.forget()
                try takeSize()
            case .quit: ending = .quit
            }
        }
    }
}
