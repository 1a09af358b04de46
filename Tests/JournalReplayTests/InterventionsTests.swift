import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `cancel, retry, release, skip` {
    @Test(arguments: [
        (
            "cancel", "2.1", "Would cancel effect 2.1 'mail' (running)", "Cancelled effect 2.1 'mail' (running)",
            "cancelled"
        ),
        (
            "retry", "3.0", "Would retry effect 3.0 'print' (failed)", "Will run again: effect 3.0 'print' (failed)",
            "waiting"
        ),
    ])
    func `report what they would do, and do it with --yes`(
        act: String, effect: String, would: String, did: String, status: String
    ) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let sql = "SELECT count(*) FROM effect_run WHERE step || '.' || ordinal = '\(effect)' AND status = '\(status)'"
        let asked = try await Tool.run(act, shop, effect, "--stream", "cart-1")
        #expect(asked.status == 0)
        #expect(
            asked.output == "\(would) of the stream 'cart-1'. Nothing was changed; add --yes to do it.\n")
        #expect(try fixture.number(sql, in: shop) == 0)
        let done = try await Tool.run(act, shop, effect, "--stream", "cart-1", "--yes", "--reason", "by hand")
        #expect(done.status == 0)
        #expect(done.output == "\(did) of the stream 'cart-1'.\n")
        #expect(try fixture.number(sql, in: shop) == 1)
        #expect(
            try fixture.number(
                "SELECT count(*) FROM intervention WHERE act = '\(act)' AND reason = 'by hand'", in: shop) == 1)
    }

    @Test func `retry tells of an effect that could not start that its cause must be removed first`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.change("UPDATE effect_run SET attempts = 0 WHERE name = 'print'", in: shop)
        let remark = "It could not start, and fails again unless the cause that its error names was removed."
        let asked = try await Tool.run("retry", shop, "3.0", "--stream", "cart-1")
        #expect(
            asked.output
                == "Would retry effect 3.0 'print' (failed) of the stream 'cart-1'. \(remark) "
                + "Nothing was changed; add --yes to do it.\n")
        let done = try await Tool.run("retry", shop, "3.0", "--stream", "cart-1", "--yes")
        #expect(done.output == "Will run again: effect 3.0 'print' (failed) of the stream 'cart-1'. \(remark)\n")
    }

    @Test func `write JSON with the keys that their help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("cancel", "--json", shop, "2.1", "--stream", "cart-1")
        #expect(try keys(ofFirstLine: result.output) == Command.cancel.keys.map(\.name))
        #expect(try objects(result.output)[0]["done"] as? Bool == false)
    }

    @Test(arguments: [
        (
            ["release", "2.1"], 1,
            "is running. Only an effect that waits for a decision (asked) or is parked can be released."
        ),
        (["cancel", "2.0"], 1, "has ended (completed). There is nothing to cancel."),
        (["cancel", "9.9"], 66, "stream 'cart-1', step 9: There is no effect 9.9."),
        (["cancel", "x"], 64, "Two streams are named: 'x' and 'cart-1'."),
        (["skip", "0"], 64, "STEP must be 'last' or a step of 1 or more, not '0'."),
        (["skip", "99"], 66, "The stream ends at step"),
    ])
    func `refuse what is not possible, and report why`(words: [String], status: Int32, message: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run(words[0], shop, words[1], "--stream", "cart-1", "--yes")
        #expect(result.status == status)
        #expect(result.error.contains(message))
        #expect(result.output == "")
    }

    @Test func `require a stream if the journal has several`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("cancel", shop, "2.1", "--yes")
        #expect(result.status == 64)
        #expect(result.error.contains("The journal has 3 streams: name one after FILE: cart-1, cart-2, till."))
        #expect(try await Tool.run("cancel", shop, "2.1", "--stream", "cart-9", "--yes").status == 66)
    }

    @Test func `an action that is not JSON has no name, in whichever command`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("raw", machine: "m")
        try await stream.append(#"{"pay": broken"#)
        let path = try #require(journal.file)
        try await journal.close()
        let planned = try await Tool.run("skip", path, "raw", "1")
        #expect(planned.output.hasPrefix("Would skip step 1 of the stream 'raw'."))
        let done = try await Tool.run("skip", path, "raw", "1", "--yes", "--json")
        #expect(try objects(done.output).first?["name"] is NSNull)
        for command in ["log", "interventions"] {
            #expect(try objects(try await Tool.run(command, path, "--json").output).first?["name"] is NSNull)
        }
    }

    @Test func `skip skips a step that is not settled`() async throws {
        let fixture = try Fixture()
        let counter = try await fixture.counter(entries: 3)
        #expect(
            try await Tool.run("skip", counter, "3").output.hasPrefix(
                "Would skip step 3 'add' of the stream 'counter'."))
        let result = try await Tool.run("skip", counter, "3", "--yes")
        #expect(result.output == "Skipped step 3 'add' of the stream 'counter'.\n")
        #expect(try fixture.number("SELECT count(*) FROM journal WHERE outcome = 'skipped'", in: counter) == 1)
        #expect(try await Tool.run("verify", counter).status == 0)
        let again = try await Tool.run("skip", counter, "3", "--yes")
        #expect(again.status == 1)
        #expect(again.error.contains("The step is skipped already."))
        // Also when an opening has settled it.
        try fixture.change("UPDATE stream SET settled_step = 3", in: counter)
        let settled = try await Tool.run("skip", counter, "3", "--yes")
        #expect(settled.status == 1)
        #expect(settled.error.contains("The step is skipped already."), "\(settled.error)")
        #expect(try fixture.number("SELECT count(*) FROM intervention", in: counter) == 1)
    }
}
