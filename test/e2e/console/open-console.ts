import type { Browser, ConsoleMessage, Page, Response } from 'playwright-core'
import { APP_HOST, CONSOLE_HOST } from '../../../src/shared/names.ts'
import type { TestDaemon } from '../../helpers/daemon/daemon.ts'
import { recordControls } from './walk/used-controls.ts'

export interface OpenOptions {
  path?: string
  /** The owner's by default. Null opens the page without a session. */
  key?: string | null
  theme?: 'light' | 'dark'
  /** One-time URL of the console, opened instead of the path. */
  link?: string
  /** Loads the document even if the last test left one with the same session. */
  reload?: boolean
}

/** A page of the console. */
export interface OpenConsole {
  page: Page
  /** Console errors, policy violations, missing files and foreign requests, which no page may cause. */
  errors: string[]
  /** Status, method and path of API answers with status 400 and above. The page shows these errors to the user. */
  failures: string[]
  goto(path: string): Promise<unknown>
  /** The next test may reuse the document, unless `hasFailed` is true. */
  close(outcome?: { hasFailed: boolean }): Promise<void>
}

/** Session of a page. Its cookie is still valid unless a test has signed out. */
interface Session {
  origin: string
  key: string
  cookie: string
}

interface IdlePage {
  page: Page
  session: Session | undefined
}

/** Pages that no test is using. A page in a new context takes five times the processor time of a reused one. */
const idlePages = new WeakMap<Browser, IdlePage[]>()

/**
 * Opens the console of a daemon with a session for the key and nothing else stored in the browser. Collects console errors,
 * violations of the content security policy, missing files and requests to other origins. Reuses the document if the last test
 * left one with the same session. Otherwise, loading and the first accessibility check take 200 ms of processor time.
 */
export async function openConsole(
  browser: Browser,
  daemon: TestDaemon,
  { path = '/', key = daemon.ownerKey, theme = 'light', link, reload = false }: OpenOptions = {},
): Promise<OpenConsole> {
  const origin = link ? new URL(link).origin : `http://${CONSOLE_HOST}:${daemon.daemon.port}`
  const idle = idlePages.get(browser)?.pop()
  const page = idle?.page ?? (await newPage(browser))
  const mayContinue = !reload && !link && idle?.session?.origin === origin && idle.session.key === key
  const continues = mayContinue && (await isClean(page, idle.session!))
  const session = continues ? idle.session : await replaceSession(page, origin, daemon, key)
  await Promise.all([
    page.setViewportSize({ width: 1280, height: 800 }),
    page.emulateMedia({ colorScheme: theme, reducedMotion: 'no-preference' }),
  ])
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.stack ?? error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !isAnswer(message.text()) && !isOfApp(message))
      errors.push(message.text())
  })
  page.on('request', request => {
    // The last test's document may still send requests to its own daemon.
    if (new URL(request.url()).origin !== origin && request.frame().url().startsWith(origin))
      errors.push(`request to ${request.url()}`)
  })
  const failures: string[] = []
  page.on('response', response => {
    if (response.status() < 400 || !response.url().startsWith(origin)) return
    const list = isFromApi(response) ? failures : errors
    list.push(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`)
  })
  const goto = (to: string) => page.goto(`${origin}/console${to}`)
  if (continues) await page.evaluate(`(${FOLLOW})(${JSON.stringify(path)})`)
  else await (link ? page.goto(link) : goto(path))
  const close: OpenConsole['close'] = ({ hasFailed } = { hasFailed: false }) =>
    release(browser, { page, session: hasFailed ? undefined : session })
  return { page, errors, failures, goto, close }
}

/** True if the session is valid and the last test left no dialog. */
async function isClean(page: Page, { origin, cookie }: Session): Promise<boolean> {
  const cookies = await page.context().cookies(origin)
  return cookies.some(({ value }) => value === cookie) && (await page.evaluate(IS_CLEAN)) === true
}

const IS_CLEAN = `location.pathname.startsWith('/console') && !document.querySelector('dialog')`

/** Closes notices, and leaves the last view, which would not load again if the path is the same. */
const FOLLOW = `async path => {
  for (const button of document.querySelectorAll('.notice > button')) button.click()
  document.activeElement?.blur()
  for (const to of ['/nowhere', path]) {
    history.pushState(null, '', '/console' + to)
    dispatchEvent(new PopStateEvent('popstate'))
    // The next frame removes the last view.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  }
}`

/** Signs the browser in with the key. Null leaves it without a session. */
async function replaceSession(
  page: Page,
  origin: string,
  daemon: TestDaemon,
  key: string | null,
): Promise<Session | undefined> {
  await page.context().clearCookies()
  if (key === null) return undefined
  const cookie = await signIn(daemon, key)
  await page.context().addCookies([{ ...cookie, url: origin }])
  return { origin, key, cookie: cookie.value }
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  await recordControls(context)
  await context.addInitScript(LOG_POLICY_VIOLATIONS)
  return context.newPage()
}

/** Chromium logs most violations itself, but none that only a report-only policy finds. Apps in frames may violate their policy. */
const LOG_POLICY_VIOLATIONS = `if (self === top) addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('violates ' + effectiveDirective + ': ' + blockedURI))`

/** Removes what a test left behind. The document stays, because a new one would start another process. */
async function release(browser: Browser, idle: IdlePage): Promise<void> {
  const { page } = idle
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate('localStorage.clear(), sessionStorage.clear()')
  idlePages.set(browser, [...(idlePages.get(browser) ?? []), idle])
}

/** The cookie that the one-time URL of `mcp console` sets. */
async function signIn(daemon: TestDaemon, key: string): Promise<{ name: string; value: string }> {
  const { body } = await daemon.api('POST', '/api/console/links', { key })
  const { pathname, search, host } = new URL(body.url)
  const { headers } = await daemon.api('GET', pathname + search, { key: null, headers: { host } })
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(headers['set-cookie']![0]!)!
  return { name, value }
}

/** Chromium logs every answer with status 400 and above, and every broken connection. `failures` contains the answers. */
function isAnswer(text: string): boolean {
  return text.startsWith('Failed to load resource')
}

/** True for an answer from the API. Any other response is a file of the page, which must exist. */
function isFromApi(response: Response): boolean {
  return ['fetch', 'eventsource'].includes(response.request().resourceType())
}

/** Apps may log anything. Chromium names no location for navigation that it refused. */
function isOfApp(message: ConsoleMessage): boolean {
  const { url } = message.location()
  const isOfFrame = url === 'about:srcdoc' || url.startsWith(`http://${APP_HOST}:`)
  return isOfFrame || /^(Framing|Sending form data to) '|^violates frame-src: /.test(message.text())
}
