from browser import PATIENCE
from support import PageCase, data, journal, page_file, tool


class HostileContent(PageCase):
    """The journal of these tests has markup, script, reserved names and addresses wherever a text can be."""

    def test_no_text_becomes_markup_or_script(self):
        page = self.open(kind="hostile")
        tags = "[document.querySelectorAll('img, iframe, object').length, document.querySelectorAll('script:not([type])').length]"
        for index in range(30):
            page.press("k" if index else "j")
            page.wait("document.querySelector('#step .facts')")
        page.click("#show-runs")
        page.wait("document.querySelector('#runs .row')")
        page.focus("#runs")
        page.press("Home")
        page.press("End")
        page.wait("document.querySelector('#step .effect')")
        self.assertIn("</script><script>window.hacked=1</script>", page.text(".effect .problem"))
        self.assertEqual(page.run(tags), [0, 1])
        self.assertEqual(page.run("[typeof window.hacked, typeof ({}).hacked]"), ["undefined", "undefined"])
        self.assertTrue(all(link.startswith("#") for link in page.run(
            "[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")))

    def test_the_policy_of_the_page_stops_scripts_and_requests(self):
        page = self.open(kind="hostile")
        stopped = page.run(f"const patience = {PATIENCE * 1000};" + """new Promise(done => {
            const stopped = new Set();
            const end = () => done([...stopped].sort());
            setTimeout(end, patience);
            document.addEventListener('securitypolicyviolation', event => {
                stopped.add(event.effectiveDirective);
                if (stopped.size === 5) end();
            });
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 1';
            document.body.append(script);
            const image = new Image();
            image.src = 'https://example.org/i.png';
            const style = document.createElement('style');
            style.textContent = 'body { background: url(https://example.org/s.png) }';
            document.body.append(style);
            const frame = document.createElement('iframe');
            frame.src = 'https://example.org/';
            document.body.append(frame);
            fetch('https://example.org/f').catch(() => {});
        })""")
        self.assertEqual(stopped, ["connect-src", "frame-src", "img-src", "script-src-elem", "style-src-elem"])
        self.assertEqual(page.run("typeof window.hacked"), "undefined")
        # What the policy stops is also reported in the console, here on purpose.
        page.problems = lambda: []
        page.requests = lambda: [f"file://{page_file('hostile', 40, ())}"]

    def test_names_of_streams_survive_a_fragment(self):
        page = self.open(kind="hostile")
        page.run("location.hash = '#' + new URLSearchParams({ stream: 'a&stream=b#step=1', step: 4 })")
        page.wait("document.getElementById('place').innerText === 'a&stream=b#step=1, step 4'")
        page.run("location.hash = '#stream=__proto__&step=2'")
        page.wait("document.getElementById('place').innerText === '__proto__, step 2'")

    def test_numbers_keep_their_digits_and_invisible_characters_are_shown(self):
        page = self.open(kind="hostile", fragment="#stream=__proto__&step=4")
        page.wait("document.querySelector('#step .tree')")
        action = page.text("#step .tree")
        self.assertIn("n 123456789012345678901234567890.10", action)
        self.assertIn("__proto__ 1", action)
        self.assertIn(r'u "\u2028\u2029\u202e"', action)

    def test_nothing_from_the_journal_is_in_the_markup(self):
        with open(page_file("hostile", 40, ())) as file:
            text = file.read()
        for part in ["hacked", "__proto__\"", "gnp.exe"]:
            self.assertNotIn(part, text)
        self.assertIn("default-src 'none'", text)

    def test_times_that_no_calendar_has_are_said_to_be_impossible(self):
        page = self.open(kind="hostile")
        self.assertIn("0005-", page.text("#facts"))


class Redaction(PageCase):
    def test_values_at_a_path_are_left_out_wherever_they_are(self):
        whole = data(page_file("orders", 40, ()))
        redacted = data(page_file("orders", 40, ("--redact", "card", "--redact", "items.*.price", "--redact", "problems")))
        self.assertIn("4000-0000-0000-1017", whole)
        self.assertIn("limit exceeded", whole)
        for secret in ["4000-0000-0000", "bank did not answer", "not paid", "customer called"]:
            self.assertNotIn(secret, redacted)
        # The action `declined` has its reason under another name.
        self.assertIn("limit exceeded", redacted)
        self.assertIn("order-17", redacted)

    def test_a_star_leaves_out_all_values(self):
        redacted = data(page_file("orders", 40, ("--redact", "*")))
        for secret in ["4000-0000", "limit exceeded", "Barbara", "kettle", "Main Street", "bank did not", "charge-17", '"label":']:
            self.assertNotIn(secret, redacted)
        page = self.open_step("order-17", 5, options=["--redact", "*"])
        self.assertIn("declined", page.text("#step-title"))
        self.assertIn("‹left out›", page.text("#step"))
        self.assertEqual(page.text("#notes"), "Values were left out of this page.")
