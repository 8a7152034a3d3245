import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { goto, show } from '../use-console.ts'
import { showView, VIEWS, type View } from '../views.ts'
import { expectUsableDialogs } from './keyboard-dialogs.ts'

const STEPS = 20
const MOST_STOPS = 400

/** Adds tests to the calling group, whose daemon has the servers of `deployExamples`. */
export function testKeyboard(): void {
  test('Tab reaches every control of every view with a visible focus', async () => {
    const page = await show()
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
    await expectReachable(page, 'Servers')
    for (const link of links.slice(1)) {
      await follow(page, link)
      await expectReachable(page, link)
    }
    await follow(page, 'Servers')
    await follow(page, 'weather')
    await expectReachable(page, 'Overview')
    for (const tab of (await tabs(page)).slice(1)) {
      await follow(page, tab)
      await expectReachable(page, tab)
    }
  }, 60_000)

  test('Tab reaches every control of records and lists that the keyboard opens', async () => {
    const page = await show()
    for (const view of VIEWS.filter(({ open, name }) => open !== undefined || name === 'container-builds')) {
      await goto(view.path)
      await expectReachable(page, view.name, view)
    }
  }, 60_000)

  test('the keyboard opens and closes every dialog, which keeps the focus and then returns it to its button', async () => {
    await expectUsableDialogs(await show())
  })

  test('calls a tool in the playground with the keyboard alone', async () => {
    const page = await show('/servers/weather/playground?env=production')
    await focus(page, 'current_weather')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Forecast' }).waitFor()
    await focus(page, 'city')
    await page.keyboard.type('Oslo')
    await focus(page, 'Run')
    await page.keyboard.press('Enter')
    await page.getByText('"Oslo"').first().waitFor()
  })
}

const tabs = (page: Page) =>
  page.getByRole('navigation', { name: 'Views of the server' }).getByRole('link').allTextContents()

/** Moves to the link and opens its view. */
async function follow(page: Page, name: string): Promise<void> {
  await focus(page, name)
  await page.keyboard.press('Enter')
  await page.locator('#content:focus').waitFor()
}

/** Tabs through the view once. Every control must get the focus, be in view and have an outline. */
async function expectReachable(page: Page, name: string, view = viewAt(page.url())): Promise<void> {
  await showView(page, view)
  await page.evaluate(RECORD_STOPS)
  for (let count = 0; count < MOST_STOPS; count += STEPS) {
    for (let step = 0; step < STEPS; step++) await page.keyboard.press('Tab')
    if (await page.evaluate('stops.isComplete')) break
  }
  const { names, invisible, missed } = (await page.evaluate('stops.end()')) as Record<string, string[]>
  expect(names!.length, name).toBeGreaterThan(5)
  expect({ invisible, missed }, name).toEqual({ invisible: [], missed: [] })
}

function viewAt(url: string): View {
  const pathname = new URL(url).pathname.slice('/console'.length)
  return VIEWS.find(({ path }) => path.split('?')[0] === pathname)!
}

/** Records each element that gets the focus, until one gets it again. */
const RECORD_STOPS = `(() => {
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const nameOf = element => element.ariaLabel ?? element.textContent.trim() ?? element.tagName
  const canFocus = element =>
    element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true })
  const isSeen = element => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { top, bottom, left, right } = element.getBoundingClientRect()
    const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    return isInSight && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  }
  const expected = [...document.querySelectorAll(controls)].filter(canFocus)
  const seen = new Set(), invisible = []
  const record = ({ target }) => {
    // Once a view has loaded, the page moves the focus to its content, which is not a Tab stop.
    if (target.tabIndex < 0) return
    stops.isComplete ||= seen.has(target)
    seen.add(target)
    if (!isSeen(target)) invisible.push(nameOf(target))
  }
  addEventListener('focusin', record)
  globalThis.stops = {
    isComplete: false,
    end() {
      removeEventListener('focusin', record)
      const missed = expected.filter(one => one.isConnected && canFocus(one) && !seen.has(one))
      return { names: [...seen].map(nameOf), invisible, missed: missed.map(nameOf) }
    },
  }
})()`

/** Presses Tab until the element with this name has the focus. */
async function focus(page: Page, name: string): Promise<void> {
  await page.getByText(name, { exact: true }).first().waitFor()
  for (let step = 0; step < MOST_STOPS; step++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(NAME_OF_FOCUS)) === name) return
  }
  throw new Error(`Tab never reaches ${name}`)
}

/** Label of the element that has the focus, or the first line of its text. */
const NAME_OF_FOCUS = `(() => {
  const element = document.activeElement
  return (element.labels?.[0] ?? element).innerText.split('\\n')[0].replace('*', '').trim()
})()`
