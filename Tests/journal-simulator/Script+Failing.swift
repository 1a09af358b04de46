import CFaultVFS
import CJournalSQLite
import CSimulator
import JournalStore
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
            world.crashPoint = choices.isOne(in: 3) ? nil : choices.pick(World.CrashPoint.allCases)
            world.crashPoints = world.crashPoint == nil ? number : number / 3
        }
        life.note("to be killed soon")
    }

    func inject() {
        // A dead process must not harm the next one.
        guard !world.isDead, !world.hasFault, let trouble = life.plan.trouble else { return }
        (world.hasFault, world.hadFault) = (true, true)
        let nth = UInt64(1 + choices.next(6))
        switch trouble {
        case .errors: failOnce(nth)
        case .syncs: world.vfs.fail(FAULT_SYNC, suffix: "-wal", nth: nth, code: ioError(4))
        case .full:
            world.isPassing = true
            let suffix = choices.pick(["", "-wal", ".db"])
            world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, count: -1, code: SQLITE_FULL)
        case .refusals: refuseRows()
        }
        life.note("a fault is to come")
        life.count("fault")
    }

    private func failOnce(_ nth: UInt64) {
        let suffix = choices.pick(["", "-wal", ".db"])
        switch choices.next(9) {
        case 0, 1, 2: world.vfs.fail(FAULT_SYNC, suffix: suffix, nth: nth, code: ioError(4))
        case 3: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3))
        case 4: world.vfs.fail(FAULT_WRITE, suffix: suffix, nth: nth, code: ioError(3), manner: FAULT_TORN)
        case 5: world.vfs.fail(FAULT_READ, suffix: suffix, nth: nth, code: ioError(1))
        case 6, 7:
            simulator_fail_allocation(UInt64(1 + choices.next(2_000)))
            life.count("failing allocation")
        default: world.vfs.fail(FAULT_TRUNCATE, suffix: suffix, nth: nth, code: ioError(6))
        }
    }

    /// SQLite's extended code for this kind of I/O error: a macro that Swift does not see.
    private func ioError(_ kind: Int32) -> Int32 { SQLITE_IOERR | kind << 8 }

    /// The writer cannot store rows of one table.
    private func refuseRows() {
        world.isPassing = true
        let table = choices.pick([
            "effect_run", "effect_run", "effect_run", "step_record", "effect_attempt", "effect_step", "effect_queue",
            "dispatch_id",
            "entry", "snapshot",
        ])
        if !simulator_refuse_rows(table) { life.report("the table \(table) cannot be made to refuse rows") }
        life.note("\(table) refuses rows")
        life.count("refusing table")
    }

    /// There is room on the disk again, or a table accepts its rows again: the journal goes on by itself.
    func passFault() async {
        world.clearFaults()
        (world.hasFault, world.isPassing) = (false, false)
        life.note("the fault has passed")
        life.count("fault that passed")
        for name in Game.streams { await flush(name) }
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
