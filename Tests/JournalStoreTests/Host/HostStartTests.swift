import CFaultVFS
import CJournalSQLite
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The start of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `after a restart the host continues all running effects by itself`() async throws {
        var journal = try openJournal(path, clock)
        let door = Door()
        var host = try host(journal) { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        for stream in 0..<50 { try await host.dispatch(.start("pay"), to: "\(stream)") }
        for stream in 50..<100 { try await host.dispatch(.add(1), to: "\(stream)") }
        await door.comers(50)
        let left = await host.close()
        #expect(left.closed == 100)
        #expect(left.interrupted.count == 50)
        #expect(left.failures.isEmpty)
        try await journal.close()
        door.open()

        journal = try openJournal(path, clock)
        host = try self.host(journal) { name in .run(name) { .ended(name) } }
        #expect(await host.recovery() == HostRecovery(opened: 50, waiting: 0))
        try await arrives("ended", journal, times: 50)
        for stream in 0..<50 { try await says(["pay"], host, "\(stream)") }
        try await journal.close()
    }

    @Test func `a stream that takes long to open does not hold up those of later pages`() async throws {
        let count = 1_100
        var journal = try openJournal(path, clock)
        for number in 0..<count {
            // A step that is not settled: the opening reduces it.
            let log = try await journal.openStream("\(number)", machine: play.name)
            try await log.append(try JSONCodec().encode(Play.add(number)))
            try await log.close()
        }
        try await journal.close()

        journal = try openJournal(path, clock)
        // Its opening waits as long as a store seems to be closing it.
        journal.beginRelease(of: "0")
        let host = try host(journal)
        _ = await host.progress.wait { _ in host.openStreams == count - 1 ? true : nil }
        journal.finishedRelease(of: "0")
        #expect(await host.recovery() == HostRecovery(opened: count, waiting: 0))
        try await journal.close()
    }

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
        // An opening reads the stream of the last transaction: it must not be the damaged one.
        try await journal.openStream("d", machine: "log").append("1")
        try await journal.close()
    }

    @Test func `a stream that cannot be opened is reported, and the others are continued`() async throws {
        try await leaveThreeEffects()
        try Shell(path).change(
            """
            UPDATE entry SET action = '{"unknown":{}}' WHERE stream = (SELECT id FROM stream WHERE name = 'b')
            """, withEntries: true)

        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.opened == 2)
        #expect(recovery.failures.map(\.stream) == ["b"])
        #expect(recovery.failures.map(\.code) == [.notDecodable])
        #expect(notices.value.map(\.kind) == [.openingFailed])
        try await arrives("ended", journal, times: 2)
        // The error advises to cancel the effect, while the app runs.
        #expect(try await journal.cancel(RunKey(step: 1), in: "b").status == .cancelled)
        try await journal.close()
        #expect(try sql("SELECT act FROM intervention") == ["cancel"])
    }

    @Test func `a stream whose step cannot be decoded goes on when an operator has skipped that step`() async throws {
        try await leaveThreeEffects()
        var journal = try openJournal(path, clock)
        let stream = try await journal.openStream("b", machine: "play")
        try await stream.append(#"{"unknown":{}}"#)
        try await stream.close()
        try await journal.close()

        journal = try openJournal(path) { $0.wallClock = clock.wallClock }
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        #expect(await host.recovery().failures.map(\.code) == [.notDecodable])
        try await arrives("ended", journal, times: 2)
        try await journal.skip(2, in: "b")
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        try await arrives("ended", journal, times: 3)
        try await journal.close()
    }

    @Test(arguments: [
        ("UPDATE stream SET machine = 'other' WHERE name = 'b'", JournalError.Code.corrupt),
        ("DELETE FROM effect_run WHERE stream = (SELECT id FROM stream WHERE name = 'b')", .corrupt),
    ])
    func `a damaged stream does not keep the others from going on`(
        _ damage: String, _ code: JournalError.Code
    ) async throws {
        try await leaveThreeEffects()
        try Shell(path, readOnly: false)(damage)

        let journal = try openJournal(path, clock)
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.opened == 2)
        #expect(recovery.failures.map(\.code) == [code])
        #expect(recovery.failures.first?.description.contains("stream") == true)
        try await arrives("ended", journal, times: 2)
        try? await journal.close()
    }

    @Test func `damaged streams with the same cause are counted, and reported once`() async throws {
        try await leaveThreeEffects()
        try Shell(path)("UPDATE stream SET machine = 'other' WHERE machine = 'play'")
        let notices = Box<[Notice.Kind]>([])
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        let recovery = try await host(journal) { name in .run(name) { .ended(name) } }.recovery()
        #expect(recovery.failed == 3)
        #expect(notices.value == [.openingFailed])
        try? await journal.close()
    }

    @Test func `streams that cannot be opened because nothing can be written are each named, and reported once`()
        async throws
    {
        try await leaveThreeEffects()
        let notices = Box<[Notice.Kind]>([])
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.busyTimeout = .milliseconds(20)
            options.report = { notice in notices.change { $0.append(notice.kind) } }
        }
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.failures.map(\.code) == [.busy, .busy, .busy])
        #expect(recovery.failures.compactMap(\.stream).sorted() == ["a", "b", "c"])
        #expect(notices.value == [.busy, .openingFailed])
        try shell("ROLLBACK")
        try await journal.close()
    }

    @Test func `a stream that is tried again during the start counts once`() async throws {
        try await leaveThreeEffects()
        let failed = Signal()
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.busyTimeout = .milliseconds(20)
            options.report = { notice in if notice.kind == .openingFailed { failed.send() } }
        }
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        // The start waits for the openings of these.
        for stream in ["b", "c"] { journal.beginRelease(of: stream) }
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        await failed.wait()
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        // It is tried again, and fails for the same reason, which is not reported a second time.
        await clock.sleepers(1)
        try shell("ROLLBACK")
        for stream in ["b", "c"] { journal.finishedRelease(of: stream) }
        let recovery = await host.recovery()
        #expect(recovery.failures.compactMap(\.stream) == ["a"])
        #expect(recovery.failed == 1)
        #expect(recovery.opened == 2)
        try await journal.close()
    }

    @Test func `the start of a host that was closed reads no further page`() async throws {
        try await leaveThreeEffects()
        let journal = try openJournal(path, clock)
        for goesOn in [true, false] {
            let found = Box<[String]>([])
            var place = WakingPlace()
            try await journal.reader.forEachWakingStream(
                of: play.name, from: &place, hasInitialEffect: false, goesOn: { goesOn }, damaged: { _ in }
            ) { page in found.change { $0 += page.map(\.name) } }
            #expect(found.value == (goesOn ? ["a", "b", "c"] : []))
        }
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
