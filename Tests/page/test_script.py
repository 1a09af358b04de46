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
