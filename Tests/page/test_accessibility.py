import itertools
import os

from support import SHOTS, PageCase

CONTRAST = """(() => {
    const parse = (text) => {
        const context = document.createElement('canvas').getContext('2d');
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color[3] === 1) return color;
        }
        return [255, 255, 255, 1];
    };
    const weak = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let texts = 0;
    for (let node; (node = walker.nextNode());) {
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility() || element.closest('script, style, .hidden, option, :disabled')) continue;
        texts += 1;
        const found = ratio(parse(getComputedStyle(element).color), behind(element));
        if (found < 4.5) weak.push(`${element.className || element.tagName} ${node.data.trim().slice(0, 30)} ${found.toFixed(2)}`);
    }
    const style = getComputedStyle(document.documentElement);
    const panel = parse(style.getPropertyValue('--panel'));
    for (const name of ['mark', 'restart', 'accent', 'edge', 'run-waiting', 'run-running', 'run-completed', 'run-retried',
        'run-resumed', 'run-parked', 'run-cancelled', 'run-failed']) {
        const found = ratio(parse(style.getPropertyValue('--' + name)), panel);
        if (found < 3) weak.push(`--${name} ${found.toFixed(2)}`);
    }
    return { texts, weak };
})()"""

CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "slider", "listbox", "checkbox", "option", "DisclosureTriangle"}


class Accessibility(PageCase):
    def test_text_and_colours_have_contrast_in_both_schemes_and_at_both_widths(self):
        for scheme, (width, height) in itertools.product(["light", "dark"], [(1440, 900), (360, 740)]):
            with self.subTest(scheme=scheme, width=width):
                page = self.open_step("order-17", 4, scheme=scheme, width=width, height=height)
                page.wait("document.querySelector('#state .changes')")
                found = page.run(CONTRAST)
                self.assertEqual(found["weak"], [])
                self.assertGreater(found["texts"], 60)
                if SHOTS:
                    page.screenshot(os.path.join(SHOTS, f"{scheme}-{width}.png"))

    def nodes(self, page):
        page.ask("Accessibility.enable")
        return [node for node in page.ask("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]

    def test_every_control_has_a_role_and_a_name(self):
        page = self.open_step("order-17", 4)
        page.wait("document.querySelector('#state .changes')")
        found = {}
        for node in self.nodes(page):
            role = node["role"]["value"]
            if role in CONTROLS:
                name = node.get("name", {}).get("value", "")
                self.assertTrue(name.strip(), f"a {role} without a name")
                found.setdefault(role, []).append(name)
        self.assertIn("Steps", found["listbox"])
        self.assertIn("Zoom in", found["button"])
        self.assertEqual(found["slider"], ["Step of this stream"])
        self.assertIn("Outcome", found["combobox"])
        self.assertTrue(any("order-17, step 5: declined" in name for name in found["link"]))
        self.assertTrue(any("pay" in name and "order-17, step 4" in name for name in found["option"]))

    def test_parts_have_landmarks_and_headings(self):
        page = self.open_step("order-17", 4)
        roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in self.nodes(page)]
        for wanted in [("main", ""), ("search", "Filter the steps"), ("region", "Time line"), ("region", "State"),
                       ("heading", "orders-40.db"), ("heading", "pay"), ("banner", "")]:
            self.assertIn(wanted, roles)
        levels = page.run("[...document.querySelectorAll('h1,h2,h3,h4,h5')].filter(e => e.checkVisibility()).map(e => +e.tagName[1])")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(after - before <= 1 for before, after in itertools.pairwise(levels)), levels)

    def test_the_focus_goes_through_the_page_in_reading_order(self):
        page = self.open_step("order-17", 4)
        order = []
        for _ in range(60):
            page.press("Tab")
            order.append(page.focused())
            if len(order) > 1 and order[-1] == "BODY":
                break
        wanted = ["A", "help", "pan-left", "pan-right", "zoom-out", "zoom-in", "zoom-fit", "timeline", "filter-text",
                  "filter-stream", "filter-name", "filter-origin", "filter-outcome", "show-steps", "show-runs", "steps",
                  "step-before", "step-after", "step"]
        self.assertEqual(order[:len(wanted)], wanted)
        for identifier in ["state-first", "state-play", "state-pin", "state-step", "state"]:
            self.assertIn(identifier, order)

    def test_the_focus_can_be_seen(self):
        page = self.open()
        page.press("Tab", 2)
        self.assertEqual(page.run("getComputedStyle(document.activeElement).outlineStyle"), "solid")

    def test_the_list_says_which_step_is_selected_and_how_many_there_are(self):
        page = self.open()
        page.focus("#steps")
        page.press("Home")
        self.wait_for_step(page, "order-1", 1)
        active = page.run("""(() => { const row = document.getElementById(document.getElementById('steps').getAttribute('aria-activedescendant'));
            return [row.getAttribute('aria-selected'), row.getAttribute('aria-posinset'), row.getAttribute('aria-setsize')]; })()""")
        self.assertEqual(active, ["true", "1", "298"])
        page.wait("document.getElementById('status').innerText === 'order-1, step 1: create, reduced'")

    def test_nothing_is_cut_off_at_phone_width_and_targets_are_large(self):
        page = self.open_step("order-17", 4, width=360, height=740)
        page.wait("document.querySelector('#state .changes')")
        self.assertEqual(page.run("document.documentElement.scrollWidth"), 360)
        small = page.run("""[...document.querySelectorAll('button, input, select')].filter(e => e.checkVisibility())
            .map(e => [e.id, e.getBoundingClientRect()]).filter(([id, b]) => b.width < 24 || b.height < 24 || b.right > 360).map(([id]) => id)""")
        self.assertEqual(small, [])

    def test_a_choice_on_a_phone_leads_to_the_details(self):
        page = self.open(width=360, height=740)
        page.click("#steps .row[data-row='294']")
        page.wait("Math.abs(document.getElementById('detail').getBoundingClientRect().top) < 400")

    def test_the_print_shows_the_selected_step_in_full(self):
        page = self.open_step("order-17", 4)
        page.wait("document.querySelector('#state .changes')")
        page.emulate(media="print")
        shown = page.run("""Object.fromEntries(['steps-part', 'time', 'detail', 'state', 'filter', 'help']
            .map(id => [id, document.getElementById(id).checkVisibility()]))""")
        self.assertEqual(shown, {"steps-part": False, "time": True, "detail": True, "state": True, "filter": False, "help": False})
        clipped = page.run("['step', 'state'].filter(id => document.getElementById(id).scrollHeight > document.getElementById(id).clientHeight + 1)")
        self.assertEqual(clipped, [])
        self.assertGreater(len(page.ask("Page.printToPDF")["data"]), 1000)
