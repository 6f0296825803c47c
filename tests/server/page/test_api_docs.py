"""The documentation of the API, in which requests can be tried."""

from playwright.sync_api import Page

from tests.server.small_server import LiveServer


def test_the_documentation_can_be_tried_and_fits_a_phone(page: Page, server: LiveServer) -> None:
    page.goto(f"{server.url}/docs")
    page.wait_for_selector("#operations details")
    names = page.locator("#operations summary code").all_text_contents()
    assert {"/v1/translate", "/v2/translate", "/translate", "/metrics"} <= set(names)
    page.locator("#operations summary", has_text="POST/v1/translate").click()
    page.locator("#operations details[open] button", has_text="Try it").click()
    page.wait_for_selector("#operations details[open] .try pre:visible")
    assert (page.text_content("#operations details[open] .try pre") or "").startswith("200")
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
