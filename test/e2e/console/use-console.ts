import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { browser } from './browser.ts'
import { type OpenConsole, type OpenOptions, openConsole } from './open-console.ts'
import { violations } from './violations.ts'
import { layoutProblems, SCREENS } from './walk/layout.ts'

/** Markup, terminal colours and a change of writing direction. */
export const HOSTILE =
  '<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m \u202egnp.exe \u05e9\u05dc\u05d5\u05dd'
/** How a page shows the first part of `HOSTILE`. */
export const HARMLESS = '<img src=x onerror=alert(1)>'

/** Daemon of the current group of tests. */
export let daemon: TestDaemon
let open: OpenConsole | undefined

/** Starts a daemon for the calling group of tests. Fails a test if its page has recorded any of `OpenConsole.errors`. */
export function useConsole(): void {
  beforeAll(async () => {
    daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  })
  afterEach(async ({ task }) => {
    const errors = open?.errors ?? []
    await open?.close({ hasFailed: errors.length > 0 || task.result?.state !== 'pass' })
    open = undefined
    expect(errors).toEqual([])
  })
  afterAll(() => daemon?.close())
}

/** Opens a page of the console for the running test. */
export async function show(path = '/', options: Omit<OpenOptions, 'path'> = {}): Promise<Page> {
  open = await openConsole(browser, daemon, { ...options, path })
  return open.page
}

/** Loads another page of the console instead of the current one. */
export function goto(path: string): Promise<unknown> {
  return open!.goto(path)
}

/** Opens a path of the console without loading the document again. Loading takes twice the processor time. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `(async () => {
      history.pushState(null, '', '/console' + ${JSON.stringify(path)})
      dispatchEvent(new PopStateEvent('popstate'))
      // The next frame removes the previous view.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    })()`,
  )
}

/** API answers with status 400 and above in the running test. */
export function failures(): readonly string[] {
  return open!.failures
}

/** Fails if the page has accessibility or layout problems in any theme or on any screen. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await problemsOf(page)).toEqual([])
}

/** Violations of accessibility rules, and layout problems, in both themes and on every screen. */
export async function problemsOf(page: Page): Promise<string[]> {
  const { width, height } = page.viewportSize()!
  const problems = await violations(page)
  const add = (found: string[], where: string) => problems.push(...found.map(one => `${where}: ${one}`))
  // Each change of the theme or the size paints the page, so both change together. Only colours depend on the theme.
  const change = (colorScheme: 'dark' | 'light', size: { width: number; height: number }) =>
    Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(size)])
  for (const screen of SCREENS) {
    await change('dark', screen)
    add(await layoutProblems(page), `${screen.width} px`)
    // Narrow screens show tables as cards. Colours are the same on every screen.
    if (screen === SCREENS[0]) add(await violations(page, { runOnly: ['color-contrast'] }), 'dark')
    if (screen.width === 360)
      add(await violations(page, { rules: { 'color-contrast': { enabled: false } } }), '360 px')
  }
  await change('light', { width, height })
  return problems
}

/** Checks accessibility rules in the current theme. */
export async function expectNoViolations(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([])
}

/** Dispatches a drop event on the element, because Playwright cannot drop files. */
export async function dropFile(
  page: Page,
  selector: string,
  { name, text }: { name: string; text: string },
): Promise<void> {
  await page.evaluate(`{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    document.querySelector(${JSON.stringify(selector)}).dispatchEvent(drop)
  }`)
}

/**
 * Answers requests for a list of the API with one record more than fits on the first page: copies of its newest record, whose
 * member `id` differs. `path` contains the filters of the list.
 */
export async function lengthenList(page: Page, path: string, id: string): Promise<void> {
  const { body } = await daemon.api('GET', path)
  const list = body.data ?? body
  const copies = (count: number) =>
    Array.from({ length: count }, (_, number) => ({
      ...list.items[0],
      [id]: `${list.items[0][id]}${number}`,
    }))
  let pageSize: number | undefined
  await page.route(
    ({ pathname, searchParams }) => {
      const own = new URL(path, daemon.url)
      return (
        pathname === own.pathname &&
        [...own.searchParams].every(([name, value]) => searchParams.get(name) === value)
      )
    },
    route => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
      pageSize ??= limit
      const hasMore = limit <= pageSize
      const token = hasMore ? 'next' : null
      const answer = { items: copies(hasMore ? limit : pageSize + 1), nextToken: token, next_cursor: token }
      return route.fulfill({ json: body.data ? { ...body, data: answer } : answer })
    },
  )
}
