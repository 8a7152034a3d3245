import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, type BrowserServer, chromium, type Page } from 'playwright-core'
import type { BenchDaemon } from '../daemon.ts'

/** Chromium and its processes. */
export interface BenchBrowser {
  pid: number
  /** A context without a cache, signed in to the console of the daemon. */
  context(daemon: BenchDaemon): Promise<BrowserContext>
  close(): Promise<void>
}

/** Debian's Chromium, or the one that `CHROMIUM` names. */
export async function startBrowser(): Promise<BenchBrowser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) throw new Error(`there is no ${executablePath}`)
  // The sandbox needs user namespaces, which containers do not always have.
  const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] })
  const browser = await chromium.connect(server.wsEndpoint()).catch(async error => {
    await server.close()
    throw error
  })
  return {
    pid: pidOf(server),
    async context(daemon) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      await context.addCookies([await signIn(daemon)])
      return context
    },
    close: () => server.close(),
  }
}

function pidOf(server: BrowserServer): number {
  const { pid } = server.process()
  if (pid === undefined) throw new Error('Chromium did not start')
  return pid
}

/** The cookie that the one-time URL of `mcp console` sets. The page is not loaded, so that nothing is cached. */
async function signIn(daemon: BenchDaemon): Promise<{ name: string; value: string; url: string }> {
  const { url } = await daemon.call<{ url: string }>('POST', '/api/console/links')
  const { host, origin, pathname, search } = new URL(url)
  const cookie = await new Promise<string | undefined>((resolve, reject) => {
    request(daemon.url + pathname + search, { headers: { host } }, answer => {
      answer.resume()
      resolve(answer.headers['set-cookie']?.[0])
    })
      .on('error', reject)
      .end()
  })
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(cookie ?? '') ?? []
  if (name === undefined || value === undefined) throw new Error(`no sign-in at ${origin}: ${cookie}`)
  return { name, value, url: origin }
}

/**
 * Waits until the expression is true. The page's content security policy forbids `waitForFunction`, which evaluates strings in
 * the page.
 */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(`Boolean(${expression})`))) await sleep(50)
}

/** An event of a trace. `ts` is in microseconds. Source: "Trace Event Format" of the Chromium project. */
export interface TraceEvent {
  name: string
  cat: string
  ts: number
  args?: { data?: { documentLoaderURL?: string } }
}

/** Runs `work` while Chromium traces the page. */
export async function traced(page: Page, work: () => Promise<unknown>): Promise<TraceEvent[]> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const complete = new Promise<void>(resolve => session.once('Tracing.tracingComplete', () => resolve()))
  const includedCategories = [
    'blink.user_timing',
    'disabled-by-default-devtools.timeline.frame',
    'devtools.timeline.frame',
  ]
  await session.send('Tracing.start', { traceConfig: { includedCategories }, transferMode: 'ReportEvents' })
  await work()
  await session.send('Tracing.end')
  await complete
  await session.detach()
  return events
}

/** Time of the first event with this name, in milliseconds. */
export function timeOf(events: readonly TraceEvent[], name: string): number {
  const times = events
    .filter(event => event.name === name && event.cat.includes('blink.user_timing'))
    .map(({ ts }) => ts)
  if (times.length === 0) throw new Error(`the trace has no ${name}`)
  return Math.min(...times) / 1000
}
