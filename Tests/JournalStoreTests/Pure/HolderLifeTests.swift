import CFork
import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the life of a holder` {
    let folder: TemporaryFolder
    /// The path of the sidecar's database, which does not exist.
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.path("j.db")
    }

    private func open() throws -> Sidecar { try Sidecar(besides: database) }

    private static func holder() -> Holder {
        Holder(
            identity: .current(), since: .now(), journal: [1], database: FileIdentity(device: 2, inode: 3),
            durability: .full)
    }

    @Test func `a dead process is no current holder, whatever the sidecar says`() throws {
        var holder = Self.holder()
        #expect(holder.isAlive)
        // An earlier process had this process ID.
        holder.identity.started += 1
        #expect(!holder.isAlive)
        let sidecar = try open()
        sidecar.take(holder)
        #expect(try Sidecar.currentHolder(besides: database) == nil)
    }

    /// Process IDs count in a namespace: the process can be looked up only from there.
    @Test func `a process of another container or computer that has the lock is the current holder`() throws {
        var holder = Self.holder()
        holder.identity.process = .max
        #expect(holder.identity.life == .ended)
        holder.identity.namespace = .max
        #expect(holder.identity.isHere)
        #if os(Linux)
            #expect(holder.identity.life == .unknown)
            #expect(holder.isAlive)
            let sidecar = try open()
            sidecar.take(holder)
            #expect(try Sidecar.currentHolder(besides: database) == holder)
        #endif
        (holder.identity.host, holder.identity.boot) = ("elsewhere", "another")
        #expect(!holder.identity.isHere)
        #expect(holder.identity.life == .unknown)
    }

    @Test func `a process is found after its computer was renamed, and without the time of its start`() {
        var identity = ProcessIdentity.current()
        identity.host = "renamed"
        #expect(identity.isHere)
        #expect(identity.life == .runs)
        identity.boot = ""
        #expect(!identity.isHere)
        identity = .current()
        identity.started = 0
        #expect(identity.life == .runs)
    }

    /// The guard of forks has closed its descriptor, and the next file of the child gets its number.
    @Test func `a forked child that releases a sidecar closes no file of its own`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let sidecar = Unmanaged.passRetained(try Sidecar(besides: folder.path("j.db")))
            let ended = cfork_call(
                { sidecar in
                    let mine = dup(STDERR_FILENO)
                    sidecar.map { Unmanaged<Sidecar>.fromOpaque($0).release() }
                    if fcntl(mine, F_GETFD) == -1 { abort() }
                }, sidecar.toOpaque())
            #expect(ended)
            sidecar.release()
        }
    }

    @Test func `a forked child that releases a sidecar does not mark it`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = folder.path("j.db")
            let sidecar = Unmanaged.passRetained(try Sidecar(besides: database))
            sidecar._withUnsafeGuaranteedRef { sidecar in
                sidecar.take(
                    Holder(
                        identity: .current(), since: .now(), journal: [1],
                        database: FileIdentity(device: 2, inode: 3), durability: .full))
            }
            let ended = cfork_call({ $0.map { Unmanaged<Sidecar>.fromOpaque($0).release() } }, sidecar.toOpaque())
            #expect(ended)
            func holds() throws -> Bool? {
                try Sidecar.holder(in: LockedFile.contents(ofPath: database + "-lock"))?.holds
            }
            #expect(try holds() == true)
            sidecar.release()
            #expect(try holds() == false)
        }
    }

    @Test func `a process of another container is not taken for this one`() {
        var here = ProcessIdentity(host: "web", process: 1, started: 7, boot: "b", namespace: 10)
        let holder = { identity in
            Holder(
                identity: identity, since: .now(), journal: [], database: FileIdentity(device: 0, inode: 0),
                durability: .full)
        }
        func who(_ identity: ProcessIdentity) -> String {
            Opening.inUse("/a.db", holder(identity), now: here).message
        }
        #expect(who(here).hasPrefix("This process (1)"))
        #expect(who(changed(here) { $0.namespace = 11 }).hasPrefix("Process 1 on web in another container"))
        here.namespace = 0
        #expect(who(changed(here) { $0.started = 8 }).hasPrefix("Process 1 on web writes"))
    }
}
