from support import PageCase, journal, page_file, tool


class States(PageCase):
    def test_a_step_shows_the_state_and_what_it_changed(self):
        page = self.open_step("order-17", 5)
        page.wait("document.querySelector('#state .changes')")
        self.assertEqual(
            page.texts("#state .changes li"),
            ['problems[0] added → "card declined: limit exceeded"', 'status "paying" → "held"'])
        self.assertIn('status "held" changed', " ".join(page.texts("#state .is-changed")))

    def test_the_slider_its_keys_and_the_buttons_move_through_the_states(self):
        page = self.open_step("order-17", 5)
        page.wait("!document.getElementById('state-moves').hidden")
        page.focus("#state-step")
        page.press("ArrowLeft")
        self.wait_for_step(page, "order-17", 4)
        page.press("Home")
        self.wait_for_step(page, "order-17", 1)
        for button, step in [("after", 2), ("last", 5), ("before", 4), ("first", 1)]:
            page.click(f"#state-{button}")
            self.wait_for_step(page, "order-17", step)
        self.assertIn('customer added → "Edsger"', page.texts("#state .changes li"))

    def test_play_moves_to_the_last_state_and_stops(self):
        page = self.open_step("order-17", 3)
        page.wait("!document.getElementById('state-moves').hidden")
        page.run("""(() => {
            const button = document.getElementById('state-play');
            window.pressed = [];
            new MutationObserver(() => window.pressed.push(button.getAttribute('aria-pressed')))
                .observe(button, { attributeFilter: ['aria-pressed'] });
        })()""")
        page.click("#state-play")
        self.wait_for_step(page, "order-17", 5)
        page.wait("document.getElementById('state-play').getAttribute('aria-pressed') === 'false'")
        # It ends by itself, so the button itself says that it was pressed.
        self.assertEqual(page.run("window.pressed[0]"), "true")

    def test_a_pinned_step_is_compared_with_any_other(self):
        page = self.open_step("order-17", 2)
        page.wait("!document.getElementById('state-moves').hidden")
        page.press("p")
        page.wait("document.getElementById('state-pinned').innerText === 'Compared with order-17, step 2'")
        page.run("location.hash = '#stream=order-17&step=5'")
        page.wait("document.querySelector('#state h3').innerText === 'Since order-17, step 2'")
        found = page.texts("#state .changes li")
        self.assertIn('status "open" → "held"', found)
        self.assertIn("total 3900 → 5100", found)
        page.run("location.hash = '#stream=order-3&step=1'")
        page.wait("[...document.querySelectorAll('#state .changes li')].some(e => e.innerText.includes('Barbara'))")
        page.press("p")
        page.wait("document.querySelector('#state h3').innerText === 'Changed by this step'")

    def test_every_state_is_the_one_that_the_tool_computes(self):
        page = self.open_step("order-8", 1)
        for step in range(1, 7):
            page.run(f"location.hash = '#stream=order-8&step={step}'")
            self.wait_for_step(page, "order-8", step)
            page.wait(f"[...document.querySelectorAll('#state h3')].some(e => e.innerText === 'State after step {step}')")
            lines = tool("state", journal("orders"), "--stream", "order-8", "--at", step, "--json").stdout
            for word in ["total", "counter"]:
                number = lines.split(f'"{word}":')[1].split(",")[0].split("}")[0]
                self.assertIn(f"{word} {number}", page.text("#state .tree"))

    def test_states_are_made_of_many_steps_and_only_the_newest_by_default(self):
        page = self.open(kind="many", count=2000, options=["--states", "1000"])
        page.wait("!document.getElementById('state-moves').hidden")
        stream = page.text("#place").split(",")[0]
        low, high = page.run("['min', 'max'].map(end => Number(document.getElementById('state-step')[end]))")
        for step in [low + 1, (low + high) // 2, high]:
            page.run(f"location.hash = '#stream={stream}&step={step}'")
            page.wait(f"[...document.querySelectorAll('#state h3')].some(e => e.innerText === 'State after step {step:,}')")
            shown = tool("state", journal("many", 2000), "--stream", stream, "--at", step, "--path", "counter").stdout.strip()
            self.assertIn(f"counter {shown} changed", page.text("#state .tree"))
        page.run(f"location.hash = '#stream={stream}&step={low - 5}'")
        page.wait("document.getElementById('state').innerText.startsWith('This page has the states of steps')")

    def test_without_a_machine_the_page_says_how_to_get_states(self):
        page = self.open(kind="hostile")
        page.wait("document.getElementById('state').innerText.includes('--machine')")
        self.assertIn("which was not known when this page was made", page.text("#state"))
        page = self.open(options=["--states", "none"])
        page.wait("document.getElementById('state').innerText.includes('--states none')")
