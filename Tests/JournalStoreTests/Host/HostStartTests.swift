import CFaultVFS
import CSQLite
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The start of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// Makes a journal with the streams a, b and c, each with an effect that has not ended.
    private func leaveThreeEffects() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal) { name in
            .run(name) {
                try await forever()
                return nil
            }
        }
        for stream in ["a", "b", "c"] { try await host.dispatch(.start("pay"), to: stream) }
        await host.close()
        try await journal.close()
    }

    /// The start of each host has to connect to the file.
    private func fail(_ vfs: FaultVFS, _ journal: Journal) {
        journal.reader.release()
        vfs.fail(FAULT_OPEN, suffix: ".db", count: -1, code: SQLITE_CANTOPEN, system: EMFILE)
    }

    /// A journal that reports when a host could not open something.
    private func reporting(_ vfs: FaultVFS, _ failed: Signal, _ notices: Box<[Notice]>) throws -> Journal {
        try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.vfs = vfs.name
            options.report = { notice in
                notices.change { $0.append(notice) }
                failed.send()
            }
        }
    }

    @Test func `the list of streams is read again after a second while too many files are open`() async throws {
        try await leaveThreeEffects()
        let (vfs, failed, notices) = (FaultVFS(), Signal(), Box<[Notice]>([]))
        let journal = try reporting(vfs, failed, notices)
        fail(vfs, journal)
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        await failed.wait()
        for _ in 1...3 {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
        }
        await clock.sleepers(1)
        #expect(host.isStarted.read { $0 } == false)
        vfs.clear()
        clock.move(by: .seconds(1))
        #expect(await host.recovery() == HostRecovery(opened: 3, waiting: 0))
        #expect(notices.value.map(\.kind) == [.openingFailed])
        #expect(notices.value.map(\.error.code) == [.tooManyFiles])
        try await arrives("ended", journal, times: 3)
        try await journal.close()
    }

    @Test func `a host that waits to read the list of streams can be closed`() async throws {
        try await leaveThreeEffects()
        let (vfs, failed, notices) = (FaultVFS(), Signal(), Box<[Notice]>([]))
        let journal = try reporting(vfs, failed, notices)
        fail(vfs, journal)
        let host = try host(journal)
        await failed.wait()
        await clock.sleepers(1)
        async let recovery = host.recovery()
        await host.close()
        #expect(await recovery == HostRecovery())
        vfs.clear()
        try await journal.close()
    }

    @Test func `a host that waits to read the list of streams ends with its last reference`() async throws {
        try await leaveThreeEffects()
        let (vfs, failed, notices) = (FaultVFS(), Signal(), Box<[Notice]>([]))
        let journal = try reporting(vfs, failed, notices)
        fail(vfs, journal)
        var host: MachineHost<Play, Score>? = try host(journal)
        await failed.wait()
        await clock.sleepers(1)
        withExtendedLifetime(host) {}
        host = nil
        // The start that has failed may hold it for a moment.
        while journal.hosts.hasHost(play.name) { await Task.yield() }
        vfs.clear()
        try await journal.close()
    }

    @Test func `a list of streams that could not be read is read on, and not from its beginning`() async throws {
        try await leaveThreeEffects()
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        var place = WakingPlace()
        let found = Box<[String]>([])
        func read() async -> JournalError? {
            do throws(JournalError) {
                try await journal.reader.forEachWakingStream(
                    of: play.name, from: &place, hasInitialEffect: false, pageSize: 1, goesOn: { true },
                    damaged: { _ in }
                ) { page in
                    found.change { $0 += page.map(\.name) }
                    if found.value.count == 2 { fail(vfs, journal) }
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(await read()?.code == .tooManyFiles)
        #expect(found.value == ["a", "b"])
        vfs.clear()
        #expect(await read() == nil)
        #expect(found.value == ["a", "b", "c"])
        try await journal.close()
    }
}
