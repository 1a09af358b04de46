from support import PageCase

COLOURS = """(name) => {
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data.join();
}"""


class TimeLine(PageCase):
    def places(self, page, colour):
        """Where a colour is on the time line: [x, y] of its pixels."""
        page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        return page.run(f"""(() => {{
            const canvas = document.getElementById('lanes');
            const wanted = ({COLOURS})('{colour}');
            const {{ data, width, height }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const found = [];
            for (let i = 0; i < width * height; i++) {{
                if (data.slice(4 * i, 4 * i + 4).join() === wanted) found.push([i % width, Math.floor(i / width)]);
            }}
            return found;
        }})()""")

    def box(self, page):
        return page.run("(() => { const b = document.getElementById('lanes').getBoundingClientRect(); return [b.x, b.y]; })()")

    def span(self, page):
        # The label comes with the first frame, which can be after the page is ready.
        page.wait("document.getElementById('lanes').hasAttribute('aria-label')")
        return page.run("document.getElementById('lanes').getAttribute('aria-label')")

    def test_effects_are_bars_from_start_to_end_in_the_colour_of_their_state(self):
        page = self.open_step("order-17", 4)
        self.set(page, "filter-stream", "order-17")
        page.wait("document.getElementById('found').innerText.startsWith('5 of')")
        page.wait("document.getElementById('lanes').getAttribute('aria-label').endsWith('1 stream')")
        red = [x for x, y in self.places(page, "run-failed") if y > 47]
        purple = [x for x, y in self.places(page, "run-parked")]
        self.assertGreater(len(red), 50)
        # The charge lasts 8.4 s of about 5.5 minutes; the mail is parked until now.
        self.assertAlmostEqual((max(red) - min(red)) / 1280 * 330, 8.4, delta=1.5)
        self.assertGreater(min(purple) + 4, max(red))
        self.assertGreater(max(purple), 1380)

    def test_restarts_are_vertical_lines(self):
        page = self.open()
        lines = {x for x, y in self.places(page, "restart") if y > 100}
        # Two restart policies dispatched an action; two charges and a mail were resumed.
        self.assertGreaterEqual(len(lines), 5)

    def test_keys_and_buttons_zoom_and_pan(self):
        page = self.open()
        whole = self.span(page)
        page.focus("#timeline")
        for key in ["+", "ArrowLeft", "ArrowRight", "Home", "-"]:
            before = self.span(page)
            page.press(key)
            page.wait(f"document.getElementById('lanes').getAttribute('aria-label') !== {before!r}")
        page.press("0")
        page.wait(f"document.getElementById('lanes').getAttribute('aria-label') === {whole!r}")
        for button in ["zoom-in", "pan-left", "pan-right", "zoom-out"]:
            before = self.span(page)
            page.click("#" + button)
            page.wait(f"document.getElementById('lanes').getAttribute('aria-label') !== {before!r}")
        page.click("#zoom-fit")
        page.wait(f"document.getElementById('lanes').getAttribute('aria-label') === {whole!r}")

    def test_the_wheel_zooms_and_dragging_pans(self):
        page = self.open()
        whole = self.span(page)
        x, y = self.box(page)
        page.mouse("mouseWheel", x + 700, y + 60, deltaX=0, deltaY=-300, modifiers=2)
        page.wait(f"document.getElementById('lanes').getAttribute('aria-label') !== {whole!r}")
        zoomed = self.span(page)
        page.mouse("mousePressed", x + 700, y + 60, button="left", clickCount=1)
        page.mouse("mouseMoved", x + 500, y + 60, button="left", buttons=1)
        page.mouse("mouseReleased", x + 500, y + 60, button="left", clickCount=1)
        page.wait(f"document.getElementById('lanes').getAttribute('aria-label') !== {zoomed!r}")

    def test_a_click_on_a_mark_or_a_bar_selects_its_step(self):
        page = self.open_step("order-17", 1)
        self.set(page, "filter-stream", "order-17")
        page.wait("document.getElementById('lanes').getAttribute('aria-label').endsWith('1 stream')")
        red = [(x, y) for x, y in self.places(page, "run-failed") if y > 47]
        left, top = self.box(page)
        page.click_at(left + red[len(red) // 2][0], top + red[len(red) // 2][1])
        self.wait_for_step(page, "order-17", 4)
        marks = [x for x, y in self.places(page, "mark") if y < 44]
        page.click_at(left + max(marks), top + 34)
        self.wait_for_step(page, "order-17", 3)

    def test_too_many_steps_are_shown_as_density(self):
        page = self.open(kind="many", count=20_000)
        marks = self.places(page, "mark")
        heights = {}
        for x, y in marks:
            if x > 132 and 24 < y < 50:
                heights[x] = heights.get(x, 0) + 1
        self.assertGreater(len(heights), 60)
        self.assertGreater(len(set(heights.values())), 5)

    def test_the_time_line_shows_the_lane_of_the_selected_step(self):
        page = self.open_step("order-38", 2)
        self.assertGreater(page.run("document.getElementById('timeline').scrollTop"), 500)
