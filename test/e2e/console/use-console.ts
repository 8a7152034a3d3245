import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { browser } from './browser.ts'
import { type OpenConsole, type OpenOptions, openConsole, overflows, violations } from './open-console.ts'

/** Markup, colours of a terminal and a change of the writing direction. */
export const HOSTILE =
  '<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m \u202egnp.exe \u05e9\u05dc\u05d5\u05dd'
/** How a page shows the first part of `HOSTILE`. */
export const HARMLESS = '<img src=x onerror=alert(1)>'

/** Daemon of the current group of tests. */
export let daemon: TestDaemon
let open: OpenConsole | undefined

/** Gives the calling group of tests its own daemon. Fails a test whose page logged an error or left the daemon. */
export function useConsole(): void {
  beforeAll(async () => {
    daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  })
  afterEach(async () => {
    const errors = open?.errors
    await open?.close()
    open = undefined
    expect(errors ?? []).toEqual([])
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

/** Checks accessibility rules in both themes, and that no width needs horizontal scrolling. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violations(page, ['color-contrast'])).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  const { width: before } = page.viewportSize()!
  for (const width of [360, 768, 1440, before])
    expect(await overflows(page, width), String(width)).toBe(false)
}

/** Checks accessibility rules in the current theme. */
export async function expectNoViolations(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([])
}
