import CFaultVFS
import CSQLite
import CSimulator
import TortureKit

extension Script {
    func arm() {
        guard world.crashPoints == nil else { return }
        let number = choices.next(12)
        if life.plan.hasPowerCuts, choices.isOne(in: 2) {
            world.losesPower = true
            world.vfs.cutPower(afterOperations: UInt64(number))
        } else if choices.isOne(in: 2) {
            life.count("kill at an operation")
            world.vfs.cutPower(afterOperations: UInt64(number))
        } else {
            world.crashPoints = number
        }
        life.note("to be killed soon")
    }

    func inject() {
        guard life.plan.hasFaults, !world.hasFault else { return }
        world.hasFault = true
        world.hadFault = true
        let nth = UInt64(1 + choices.next(6))
        let suffix = choices.pick(["", "-wal", ".db"])
        let fault = choices.next(11)
        world.isFull = fault == 2 || fault == 6
        switch fault {
        case 0, 7, 8: world.vfs.fail(FAULT_SYNC, suffix: suffix, nth: nth, code: ioError(4))
        case 1: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3))
        case 2, 6: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: SQLITE_FULL)
        case 3: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3), manner: FAULT_TORN)
        case 4: world.vfs.fail(FAULT_READ, suffix: suffix, nth: nth, code: ioError(1))
        case 9, 10:
            simulator_fail_allocation(UInt64(1 + choices.next(2_000)))
            life.count("failing allocation")
        default: world.vfs.fail(FAULT_TRUNCATE, suffix: suffix, nth: nth, code: ioError(6))
        }
        life.note("a fault is to come")
        life.count("fault")
    }

    /// SQLite's extended code for this kind of I/O error: a macro that Swift does not see.
    func ioError(_ kind: Int32) -> Int32 { SQLITE_IOERR | kind << 8 }

    /// The disk is not full any more: the journal goes on by itself.
    func makeRoom() {
        world.clearFaults()
        (world.hasFault, world.isFull) = (false, false)
        life.note("there is room again")
        life.count("room on a full disk")
    }

    /// After a fault the app closes the journal and opens it again.
    func repair() async {
        await recover()
        if world.isDead { return }
        world.isBroken = false
        guard await open(), life.plan.hasPowerCuts, world.crashPoints == nil, !choices.isOne(in: 3) else { return }
        // What a failed sync did not write must not be needed any more.
        world.losesPower = true
        world.vfs.cutPower(afterOperations: UInt64(choices.next(40)))
        life.note("to lose power soon")
    }
}
