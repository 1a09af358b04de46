import Testing

/// A change to a journal, and the problem that the verification finds.
struct Harm: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sql: String
    var finds: String
    var step: Int?
    /// Whether the digests of the rows are made right again, so that only other checks can find it.
    var isRenewable: Bool { !sql.contains("x'00'") && sql != "DELETE FROM stream" }

    static let all = [
        Harm(
            testDescription: "an action changed by hand", sql: "UPDATE entry SET action = '99' WHERE step = 4",
            finds: "the digest does not match", step: 4),
        Harm(
            testDescription: "a time changed by hand", sql: "UPDATE entry SET time = time + 1 WHERE step = 4",
            finds: "the digest does not match", step: 4),
        Harm(
            testDescription: "an origin changed by hand", sql: "UPDATE entry SET origin = 1 WHERE step = 4",
            finds: "the digest does not match", step: 4),
        Harm(
            testDescription: "an effect without a step as a cause",
            sql: "UPDATE entry SET cause_run = 5 WHERE step = 4",
            finds: "step 4 has a cause without a step"),
        Harm(
            testDescription: "a sender without a step as a cause",
            sql: "UPDATE entry SET cause_stream = stream WHERE step = 4", finds: "step 4 has a cause without a step"),
        Harm(
            testDescription: "an entry removed", sql: "DELETE FROM entry WHERE step = 4", finds: "step 4 is missing",
            step: 3),
        Harm(
            testDescription: "the newest entry removed", sql: "DELETE FROM entry WHERE step = 20",
            finds: "head is step 20, but its entries end at step 19", step: 20),
        Harm(
            testDescription: "the newest entry removed, and the head with it",
            sql: """
                DELETE FROM snapshot WHERE step = 20; DELETE FROM entry WHERE step = 20;
                UPDATE stream SET head_step = 19, settled_step = 19,
                    head_digest = (SELECT digest FROM entry WHERE step = 19)
                """,
            finds: "1 acknowledged entry is missing"),
        Harm(
            testDescription: "an entry behind the head",
            sql: "UPDATE stream SET head_step = 19, head_digest = (SELECT digest FROM entry WHERE step = 19)",
            finds: "is after the end", step: 20),
        Harm(
            testDescription: "a head digest", sql: "UPDATE stream SET head_digest = zeroblob(16)",
            finds: "not the digest of its newest entry", step: 20),
        Harm(
            testDescription: "a digest of the wrong length", sql: "UPDATE entry SET digest = x'00' WHERE step = 4",
            finds: "step 4 has a digest of the wrong length"),
        Harm(
            testDescription: "a snapshot's digest", sql: "UPDATE snapshot SET digest = zeroblob(16) WHERE step = 10",
            finds: "the snapshot does not belong to the entry", step: 10),
        Harm(
            testDescription: "a snapshot after the head", sql: "UPDATE snapshot SET step = 50 WHERE step = 20",
            finds: "a step that the stream has not reached", step: 50),
        Harm(
            testDescription: "an outcome's digest", sql: "UPDATE step_record SET digest = zeroblob(16)",
            finds: "the record of its outcome belongs to no entry", step: 3),
        Harm(
            testDescription: "an effect of no step", sql: "UPDATE effect_run SET step = 77",
            finds: "belongs to no entry",
            step: 77),
        Harm(
            testDescription: "a remembered step of no effect", sql: "UPDATE effect_step SET ordinal = 5",
            finds: "belongs to no effect", step: 3),
        Harm(
            testDescription: "a settlement watermark after the head", sql: "UPDATE stream SET settled_step = 99",
            finds: "more steps are settled", step: 99),
        Harm(
            testDescription: "a stream removed", sql: "DELETE FROM stream", finds: "refers to a row of stream"),
        Harm(
            testDescription: "the row of the writer removed", sql: "DELETE FROM writer",
            finds: "the row of the last writer is missing"),
        Harm(
            testDescription: "a view changed", sql: "DROP VIEW journal; CREATE VIEW journal AS SELECT 1",
            finds: "the view journal of the schema was changed"),
        Harm(
            testDescription: "a view added", sql: "CREATE VIEW mine AS SELECT 1",
            finds: "the view mine is not part of the schema"),
        Harm(
            testDescription: "a pruning made up", sql: "UPDATE stream SET pruned_step = 7",
            finds: "the base that replaces them is missing", step: 7),
        Harm(
            testDescription: "another place in the order over all streams",
            sql: "UPDATE entry SET position = position + 1000 WHERE step = 20", finds: "the digest does not match",
            step: 20),
        Harm(
            testDescription: "a renamed stream", sql: "UPDATE stream SET name = 'b'",
            finds: "the digest does not match", step: 1),
    ]
}
