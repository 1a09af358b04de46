import CJournalSQLite
import Foundation
import Testing

@testable import JournalStore

@Suite struct `Pure, journal errors` {
    // MARK: Descriptions

    /// An error and its description.
    struct Case: CustomTestStringConvertible {
        var testDescription: String { text }
        var error: JournalError
        var text: String
    }

    @Test(arguments: [
        Case(
            error: JournalError(
                .inUse, "It is held.", advice: "Wait.", file: "/j.db", stream: "cart", step: 7, underlying: 5),
            text: "/j.db, stream 'cart', step 7: It is held. Wait. [in-use, 5]"),
        Case(error: JournalError(.closed, "It was closed."), text: "It was closed. [closed]"),
        Case(
            error: JournalError(.closed, "It was closed.", advice: "Open it."), text: "It was closed. Open it. [closed]"
        ),
        Case(error: JournalError(.busy, "It waits.", file: "/j.db"), text: "/j.db: It waits. [busy]"),
        Case(error: JournalError(.busy, "It waits.", stream: "cart"), text: "stream 'cart': It waits. [busy]"),
        Case(error: JournalError(.busy, "It waits.", step: 7), text: "step 7: It waits. [busy]"),
        Case(
            error: JournalError(.busy, "It waits.", file: "/j.db", step: 7), text: "/j.db, step 7: It waits. [busy]"),
        Case(
            error: JournalError(.busy, "It waits.", stream: "cart", step: 7),
            text: "stream 'cart', step 7: It waits. [busy]"),
        Case(error: JournalError(.busy, "It waits.", underlying: 517), text: "It waits. [busy, 517]"),
        Case(error: JournalError(.busy, "", advice: "Wait."), text: "Wait. [busy]"),
        // The text of an app's error is not always a sentence.
        Case(
            error: JournalError(.effectFailed, "It has failed: Oops()", advice: "Retry it."),
            text: "It has failed: Oops(). Retry it. [effect-failed]"),
        Case(
            error: JournalError(.effectFailed, "It has failed: oh!", advice: "Retry it."),
            text: "It has failed: oh! Retry it. [effect-failed]"),
        Case(error: JournalError(.effectFailed, "It failed: Oops()"), text: "It failed: Oops() [effect-failed]"),
    ])
    func `a description has file, stream, step, message, advice, code and SQLite's code in that order`(_ test: Case) {
        #expect(test.error.description == test.text)
        #expect("\(test.error)" == test.text)
    }

    @Test func `characters that would control a terminal or begin a new line are escaped in a description`() {
        let error = JournalError(
            .closed, "message\u{7}", advice: "advice\u{202E}", file: "/a\u{1B}[2J.db", stream: "b\nc", step: 1)
        let text =
            #"/a\u001b[2J.db, stream 'b\nc', step 1: message\u0007. advice\u202e [closed]"#
        #expect(error.description == text)
        #expect(Notice(kind: .entriesLost, error: error).description == "entries-lost: " + text)
        // The values themselves are unchanged.
        #expect(error.stream == "b\nc")
        #expect(JournalError(.closed, "é, 家, 'a' \"b\" \\c").description == "é, 家, 'a' \"b\" \\c [closed]")
    }

    @Test func `the localized description is the description`() {
        let error: any Error = JournalError(.closed, "It was closed.", advice: "Open it.")
        #expect(error.localizedDescription == "It was closed. Open it. [closed]")
    }

    @Test func `a notice's description begins with its kind`() {
        let notice = Notice(kind: .entriesLost, error: JournalError(.closed, "It was closed."))
        #expect(notice.description == "entries-lost: It was closed. [closed]")
    }

    @Test func `errors are equal only if all their fields are equal`() {
        let error = JournalError(.busy, "a", advice: "b", file: "c", stream: "d", step: 1, underlying: 2)
        #expect(error == JournalError(.busy, "a", advice: "b", file: "c", stream: "d", step: 1, underlying: 2))
        var others = Array(repeating: error, count: 7)
        others[0].code = .closed
        others[1].message = ""
        others[2].advice = ""
        others[3].file = nil
        others[4].stream = nil
        others[5].step = nil
        others[6].underlying = nil
        #expect(!others.contains(error))
    }

    // MARK: Codes

    // Tools print these codes and scripts compare them: none may ever change.
    @Test(
        arguments: [
            (.cannotOpen, "cannot-open"), (.notADatabase, "not-a-database"), (.notAJournal, "not-a-journal"),
            (.tooManyFiles, "too-many-files"),
            (.newerSchema, "newer-schema"), (.schemaMismatch, "schema-mismatch"), (.inUse, "in-use"),
            (.severalNames, "several-names"), (.fenced, "fenced"), (.busy, "busy"), (.diskFull, "disk-full"),
            (.inputOutput, "input-output"), (.outcomeUnknown, "outcome-unknown"), (.corrupt, "corrupt"),
            (.acknowledgedEntriesLost, "acknowledged-entries-lost"), (.closed, "closed"),
            (.unknownStream, "unknown-stream"), (.streamOpen, "stream-open"), (.otherMachine, "other-machine"),
            (.dispatchIDReused, "dispatch-id-reused"), (.notStorable, "not-storable"),
            (.noUsableSnapshot, "no-usable-snapshot"), (.noSuchStep, "no-such-step"),
            (.destinationExists, "destination-exists"), (.copyNotVerified, "copy-not-verified"),
            (.badArgument, "bad-argument"),
        ] as [(JournalError.Code, String)])
    func `a code has a stable name and is found by that name`(_ code: JournalError.Code, _ name: String) {
        #expect(code.rawValue == name)
        #expect(JournalError.Code(rawValue: name) == code)
    }

    // MARK: What a caller can do

    @Test(arguments: [.diskFull, .busy, .overloaded, .inUse, .tooManyFiles] as [JournalError.Code])
    func `an error is retryable if the same call can succeed later`(_ code: JournalError.Code) {
        #expect(JournalError(code, "").isRetryable)
    }

    @Test(
        arguments: [
            .outcomeUnknown, .inputOutput, .fenced, .closed, .cancelled, .dispatchIDReused, .notStorable, .corrupt,
            .noAnswer, .cannotOpen,
        ] as [JournalError.Code])
    func `an error is not retryable if the same call fails again, or its first outcome is unknown`(
        _ code: JournalError.Code
    ) {
        #expect(!JournalError(code, "").isRetryable)
    }

    @Test func `an error is transient if the open journal goes on by itself`() {
        let codes: [JournalError.Code] = [
            .diskFull, .busy, .overloaded, .inUse, .tooManyFiles, .noAnswer, .closed, .fenced, .inputOutput,
            .outcomeUnknown,
        ]
        #expect(codes.filter { JournalError($0, "").isTransient } == [.diskFull, .busy])
    }

    // MARK: Payloads

    @Test func `an error never contains the action or the state`() async throws {
        let secret = "4711-SECRET"
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("cart", machine: "m")
        try await stream.append("\"\(secret) 1\"", id: "a")

        var errors: [JournalError] = []
        func note(_ body: () async throws(JournalError) -> Void) async {
            do { try await body() } catch { errors.append(error) }
        }
        await note { () throws(JournalError) in try await stream.append("\"\(secret) 2\"", id: "a") }
        await note { () throws(JournalError) in try await stream.saveSnapshot("\"\(secret)\"", at: 99) }
        await note { () throws(JournalError) in
            var batch = Batch(entries: [NewEntry(stream: stream.id, action: "\"\(secret)\"")])
            batch.steps = [StepRecord(stream: stream.id, step: 99, cascade: "\"\(secret)\"")]
            _ = try await journal.writer.commit(batch)
        }
        try await journal.close()
        await note { () throws(JournalError) in try await stream.append("\"\(secret) 3\"") }

        #expect(errors.map(\.code) == [.dispatchIDReused, .noSuchStep, .notStorable, .closed])
        for error in errors { #expect(!String(reflecting: error).contains(secret)) }
    }
}
