import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { consoleUrl } from '../../src/cli/targets/console-link.ts'
import { homePaths } from '../../src/shared/paths.ts'
import { deployEchoServers, withDaemon } from '../daemon.ts'
import type { Figure } from '../report.ts'
import { type BenchBrowser, type TraceEvent, timeOf, traced, until } from './browser.ts'

const LINES = 100_000
/** Number of lines written at a time. A follower starts over when a log grows faster than the follower reads. */
const BATCH = 5000
const SCROLL_MS = 5000
const LIMIT_FPS = 55

/** Scrolls up through the log for some seconds, one screen every ten frames. Runs in the page. */
const SCROLL = `new Promise(resolve => {
  const list = document.querySelector('.rows')
  performance.mark('scroll starts')
  const end = performance.now() + ${SCROLL_MS}
  requestAnimationFrame(function step() {
    list.scrollTop -= 60
    if (performance.now() < end) return requestAnimationFrame(step)
    performance.mark('scroll ends')
    resolve()
  })
})`

/** Frames per second that Chromium draws while a log of 100,000 lines scrolls. */
export function benchLogScroll(browser: BenchBrowser): Promise<Figure[]> {
  return withDaemon({}, async daemon => {
    const [deployed] = await deployEchoServers(daemon, 1)
    const context = await browser.context(daemon)
    const page = await context.newPage()
    await page.goto(consoleUrl(daemon, '/servers/server-0/logs?environment=production')!)
    await fillLog(page, join(homePaths(daemon.env).logs, deployed!.deployment_id, 'daemon.log'))
    const events = await traced(page, () => page.evaluate(SCROLL))
    await context.close()
    const measured = framesPerSecond(events)
    const name = `frames per second while a log of ${LINES.toLocaleString('en')} lines scrolls`
    return [{ name, value: measured.toFixed(1), measured, limit: { at: 'least', value: LIMIT_FPS } }]
  })
}

/** Writes lines as an instance does, in steps that the page can follow. */
async function fillLog(page: Page, path: string): Promise<void> {
  for (let from = 0; from < LINES; from += BATCH) {
    appendFileSync(path, Array.from({ length: BATCH }, (_, at) => line(from + at)).join(''))
    await until(page, `document.querySelector('.rows')?.innerText.includes('line ${from + BATCH - 1} ')`)
  }
}

function line(index: number): string {
  const message = `line ${index} of a log that is long enough to be worth scrolling`
  return `${JSON.stringify({ timestamp: new Date().toISOString(), level: 'info', stream: 'server', message })}\n`
}

function framesPerSecond(events: readonly TraceEvent[]): number {
  const [from, to] = [timeOf(events, 'scroll starts'), timeOf(events, 'scroll ends')]
  const frames = events.filter(({ name, ts }) => name === 'DrawFrame' && ts / 1000 > from && ts / 1000 < to)
  return (frames.length * 1000) / (to - from)
}
