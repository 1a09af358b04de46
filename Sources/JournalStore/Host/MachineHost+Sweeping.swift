// Idle streams are closed when more are open than the options allow, many at a time, so that they share transactions.

extension MachineHost {
    private static var batch: Int { 256 }

    /// How long to wait after a sweep that could close no stream: longer after several of them, as each looks at many
    /// streams that are in use.
    private func sweepPause(after inVain: Int) -> Duration { .milliseconds(100 << min(inVain, 4)) }

    private func isOverLimits(_ streams: Table) -> Bool {
        streams.openCount > options.maxOpenStreams || streams.stateBytes > options.maxStateBytes ?? .max
    }

    /// - Returns: whether the caller must call ``startSweeping()``.
    func mustStartSweeping(_ work: inout Work) -> Bool {
        guard isOverLimits(work.streams), !work.isClosed else { return false }
        if work.isSweeping { return false }
        work.isSweeping = true
        return true
    }

    func startSweeping() {
        _ = journal.options.spawn { [weak self] in
            var inVain = 0
            while let self, let hasClosed = await self.sweep() {
                inVain = hasClosed ? 0 : inVain + 1
                let sleep = self.journal.options.sleep
                try? await sleep(hasClosed ? .zero : self.sweepPause(after: inVain - 1))
            }
        }
    }

    /// Closes idle streams until the others are within the limits.
    ///
    /// - Returns: whether it has closed any; nil if no other sweep is needed.
    private func sweep() async -> Bool? {
        let taken = work.withLock {
            $0.streams.takeIdle(count: options.maxOpenStreams, bytes: options.maxStateBytes, most: Self.batch)
        }
        let stayed = await close(taken)
        return work.withLock { work in
            if isOverLimits(work.streams), !work.isClosed {
                // If all that were taken are in use, the others are looked at later.
                return stayed < taken.count
            }
            work.isSweeping = false
            return nil
        }
    }

    /// Closes streams if they are idle.
    ///
    /// - Returns: how many stay open.
    private func close(_ taken: [Table.Taken]) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for resident in taken { group.addTask { await self.closeIfIdle(resident) } }
            return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }

    private func closeIfIdle(_ resident: Table.Taken) async -> Bool {
        guard let plan = try? await resident.store.engine.closeIfIdle() ?? nil else {
            if resident.store.engine.isClosed {
                // Its last records could not be written: the next opening derives them again.
                await closed(resident.name, .now)
                return true
            }
            let waiters = work.withLock { $0.streams.stayed(resident) }
            for waiter in waiters { waiter(.success(resident.store)) }
            noteProgress()
            return false
        }
        await closed(resident.name, plan)
        return true
    }

    /// A stream was closed. Opens it again if a caller waits for it.
    private func closed(_ stream: String, _ plan: WakePlan) async {
        let isWanted = work.withLock { work in
            switch plan {
            case .at(let time):
                work.timers.streams.add(stream, at: time)
                work.continued.insert(ByteName(stream))
            case .now: work.pauses.streams.add(stream, at: soon)
            case .never: break
            }
            return work.streams.closed(stream)
        }
        noteProgress()
        // Each caller that waits gets the error.
        if isWanted { _ = try? await openNow(stream) }
        if plan != .never { setSleepers() }
    }
}
