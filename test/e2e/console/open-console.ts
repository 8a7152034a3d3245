import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { CONSOLE_HOST } from '../../../src/shared/contract/access/console-sessions.ts'
import type { TestDaemon } from '../../helpers/daemon/daemon.ts'

interface OpenOptions {
  path?: string
  /** The owner's by default. Null opens the page without a session. */
  key?: string | null
  theme?: 'light' | 'dark'
}

/** A page of the console. `errors` has what no page may cause. */
export interface OpenConsole {
  page: Page
  errors: string[]
  goto(path: string): Promise<unknown>
  close(): Promise<void>
}

/**
 * Opens the console of a daemon in its own context, with a session of the key. Collects console errors and requests to
 * other origins.
 */
export async function openConsole(
  browser: Browser,
  daemon: TestDaemon,
  { path = '/', key = daemon.ownerKey, theme = 'light' }: OpenOptions = {},
): Promise<OpenConsole> {
  const origin = `http://${CONSOLE_HOST}:${daemon.daemon.port}`
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  if (key !== null) await context.addCookies([{ ...(await signIn(daemon, key)), url: origin }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !isAnswer(message.text())) errors.push(message.text())
  })
  page.on('request', request => {
    if (new URL(request.url()).origin !== origin) errors.push(`request to ${request.url()}`)
  })
  const goto = (to: string) => page.goto(`${origin}/console${to}`)
  await goto(path)
  return { page, errors, goto, close: () => context.close() }
}

/** The cookie that the one-time address of `mcp console` sets. */
async function signIn(daemon: TestDaemon, key: string): Promise<{ name: string; value: string }> {
  const { body } = await daemon.api('POST', '/api/console/links', { key })
  const { pathname, search, host } = new URL(body.url)
  const { headers } = await daemon.api('GET', pathname + search, { key: null, headers: { host } })
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(headers['set-cookie']![0]!)!
  return { name, value }
}

/** Chromium logs every answer of 400 and above, and every broken connection. The page shows them. */
function isAnswer(text: string): boolean {
  return text.startsWith('Failed to load resource')
}

/** Violations of accessibility rules: rule, and the elements that violate it. `rules` limits what is checked. */
export async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  await page.evaluate(axe.source)
  const options = rules.length > 0 ? { runOnly: rules } : {}
  const results = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Whether a page of this width has to be scrolled to the side. */
export async function overflows(page: Page, width: number): Promise<boolean> {
  await page.setViewportSize({ width, height: 800 })
  return page.evaluate('document.documentElement.scrollWidth > innerWidth')
}
