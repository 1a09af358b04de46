import base64
import pathlib
import re
import zlib

from support import PageCase, browser, folder, page_file

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "Sources/JournalReplayKit/Page/Assets"


class Script(PageCase):
    """Functions of the page's script, whose names nothing outside of it can use."""

    def call(self, page, expression):
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "json.js"])
        return page.run(f"(() => {{ {source}\nreturn {expression}; }})()")

    def test_a_string_may_have_any_length(self):
        page = self.open()
        self.assertEqual(self.call(page, "parseJSON('[\"' + 'x'.repeat(2e7) + '\"]')[0].length"), 20_000_000)
        self.assertEqual(self.call(page, r"""parseJSON('"' + '\\\\"'.repeat(5e6) + '"')"""), None)
        self.assertEqual(self.call(page, r"""parseJSON('"' + '\\"'.repeat(5e6) + '"').length"""), 5_000_000)

    def test_a_string_ends_at_the_quote_that_is_not_escaped(self):
        page = self.open()
        for text in ['""', r'"\""', r'"\\"', r'"\\\""', '"}"', '["a","b"]', '"a', r'"\"', '"', '"a""b"', '"\t"', r'"\x"', "'a'"]:
            parsed = f"JSON.stringify(parseJSON({text!r}))"
            expected = f"(() => {{ try {{ return JSON.stringify(JSON.parse({text!r})) }} catch {{ return undefined }} }})()"
            self.assertEqual(self.call(page, parsed), self.call(page, expected), text)

    def test_states_are_read_as_deep_as_the_tool_reads_them(self):
        page = self.open()
        for depth, is_read in [(520, True), (5_000, False)]:
            lists = f"parseJSON('['.repeat({depth}) + ']'.repeat({depth})) !== undefined"
            self.assertEqual(self.call(page, lists), is_read)
            objects = f"parseJSON('{{\"a\":'.repeat({depth}) + '1' + '}}'.repeat({depth})) !== undefined"
            self.assertEqual(self.call(page, objects), is_read)

    def test_of_members_with_one_key_the_first_counts(self):
        page = self.open()
        self.assertEqual(self.call(page, """parseJSON('{"a":1,"b":2,"a":3}').get("a").text"""), "1")

    def test_a_value_that_is_cut_off_says_so(self):
        page = self.open()
        self.assertEqual(self.call(page, "oneLine('x'.repeat(9), 5)"), '"xxxxx…')
        self.assertEqual(self.call(page, "oneLine('xxxxx', 5)"), '"xxxxx"')
        action = """oneLine(parseJSON('{"a":"' + 'x'.repeat(53) + '","status":"paid"}'), 60)"""
        self.assertEqual(self.call(page, action), '{a: "' + "x" * 53 + '", status: "…}')

    def test_a_time_after_the_clock_was_set_back_is_negative(self):
        page = self.open()
        for micros, text in [(-90_000_000, "-1 min 30 s"), (-1_500, "-1.5 ms"), (-7_200_000_000, "-2 h 0 min"), (0, "0 µs"),
                             (200_000_000, "3 min 20 s")]:
            self.assertEqual(self.call(page, f"duration({micros})"), text)

    def test_a_search_says_how_many_steps_it_could_not_read(self):
        page = self.open()
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "columns.js", "model.js", "filter.js"])
        found = page.run(f"""(async () => {{ {source}
            const texts = async (chunk) => {{
                if (chunk === 1) throw new Error("The server does not answer.");
                return {{ actions: ["pay", "ship"], others: {{}} }};
            }};
            const runTexts = async () => {{ throw new Error("The server does not answer."); }};
            const model = {{ count: 5, runs: {{ count: 2, index: [0, 3] }}, source: {{ starts: [0, 2], runStarts: [0], texts, runTexts }} }};
            const filter = new Filter(model, () => {{}});
            await filter.set({{ text: "pay" }});
            const unread = [...filter.unread].sort();
            await filter.set({{ text: "" }});
            return [unread, filter.unread.size, filter.progress];
        }})()""")
        self.assertEqual(found, [[0, 2, 3, 4], 0, None])

    def test_times_before_1970_are_exact(self):
        page = self.open()
        for time, text in [(-1, "1969-12-31 23:59:59.999999"), (-1_000_000, "1969-12-31 23:59:59.000000"),
                           (0, "1970-01-01 00:00:00.000000"), (1, "1970-01-01 00:00:00.000001")]:
            self.assertEqual(self.call(page, f"fullTime({time})"), text)

    def test_steps_that_arrive_while_a_text_is_searched_begin_no_second_search(self):
        page = self.open()
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "columns.js", "model.js", "filter.js"])
        found = page.run(f"""(async () => {{ {source}
            const reads = [];
            const answer = async () => {{
                reads.shift()({{ actions: Array(model.count).fill("a"), others: {{}} }});
                for (let i = 0; i < 5; i++) await pause();
            }};
            const model = {{ count: 2, source: {{ starts: [0], runStarts: [], texts: () => new Promise((done) => reads.push(done)) }} }};
            const filter = new Filter(model, () => {{}});
            filter.set({{ text: "a" }});
            await pause();
            await answer();
            for (let i = 0; i < 3; i++) filter.append(model.count++);
            const most = reads.length;
            while (reads.length) await answer();
            return [most, filter.progress, ...filter.found];
        }})()""")
        self.assertEqual(found, [1, None, 0, 1, 2, 3, 4])

    def test_a_text_that_arrives_after_its_step_was_searched_is_found(self):
        page = self.open()
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "columns.js", "model.js", "filter.js"])
        found = page.run(f"""(async () => {{ {source}
            const others = {{}};
            const run = {{ attempts: [] }};
            const texts = async () => ({{ actions: ["pay", "pay"], others }});
            const model = {{ count: 2, runs: {{ index: [1] }}, source: {{ starts: [0], runStarts: [0], texts, runTexts: async () => [run] }} }};
            const filter = new Filter(model, () => {{}});
            const all = [];
            await filter.set({{ text: "declined" }});
            all.push([...filter.found]);
            others[0] = {{ reason: "Declined" }};
            await filter.searchAgain();
            all.push([...filter.found]);
            run.error = "card declined";
            const first = filter.searchAgain();
            filter.searchAgain();
            await first;
            all.push([...filter.found], filter.progress);
            return all;
        }})()""")
        self.assertEqual(found, [[], [0], [0, 1], None])

    def test_a_search_that_is_overtaken_leaves_nothing_behind(self):
        page = self.open()
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "columns.js", "model.js", "filter.js"])
        progress = page.run(f"""(async () => {{ {source}
            const model = {{ count: 1, runs: {{ index: [0] }}, source: {{
                starts: [0], runStarts: [0], texts: async () => ({{ actions: ["pay"], others: {{}} }}), runTexts: async () => [{{}}],
            }} }};
            const filter = new Filter(model, () => {{}});
            const search = filter.set({{ text: "declined" }});
            await filter.set({{ text: "" }});
            await search;
            return [filter.progress, ...filter.found];
        }})()""")
        self.assertEqual(progress, [None, 0])

    def test_a_message_of_a_stream_that_the_page_lacks_has_no_cause_on_it(self):
        page = self.open()
        source = "".join((ASSETS / name).read_text() for name in ["text.js", "columns.js", "model.js"])
        causes = page.run(f"""(() => {{ {source}
            const model = new Model({{ steps: 3, streams: [["receiver", "m", 0, 0, 3, 0, 0, null]] }}, null);
            const zeros = [0, 0, 0];
            model.addSteps([zeros, zeros, zeros, zeros, zeros, zeros, [0, 2, 2], zeros, [0, 0, -1]]);
            model.byStream = new Groups(1, 3, () => 0);
            model.findCauses(0);
            return [...model.cause];
        }})()""")
        self.assertEqual(causes, [-1, 0, -1])

    def test_states_that_cannot_be_read_are_said_to_be(self):
        with open(page_file("orders", 40, ())) as file:
            text = file.read()
        deflate = zlib.compressobj(wbits=-15)
        chunk = base64.b64encode(deflate.compress(b"[1,") + deflate.flush()).decode()
        path = f"{folder.name}/unreadable.html"
        with open(path, "w") as file:
            file.write(re.sub(r'(data-chunk="states"[^>]*>)[^<]*', lambda start: start[1] + chunk, text))
        page = browser().page(f"file://{path}#stream=order-17&step=5")
        self.addCleanup(page.close)
        self.addCleanup(self.check_is_quiet, page, path)
        page.wait("document.querySelector('#state .problem')")
        self.assertEqual(page.text("#state .problem"), "The page cannot read the states of these steps.")
