import { consoleUrl } from '../../src/cli/targets/console-link.ts'
import { type BenchDaemon, deployEchoServers, withDaemon } from '../daemon.ts'
import { median } from '../measure.ts'
import type { Figure } from '../report.ts'
import { type BenchBrowser, timeOf, traced, until } from './browser.ts'

const SERVERS = 20
const OPENS = 15
const LIMIT_MS = 400
const MARK = 'servers are interactive'

/** Marks the time when all servers are shown and the page can handle input again. Runs in the page. */
const MARK_WHEN_SHOWN = `new MutationObserver((_, observer) => {
  if (document.querySelectorAll('a.server-name').length < ${SERVERS}) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => performance.mark('${MARK}')))
}).observe(document, { childList: true, subtree: true })`

/** Time from the navigation to the servers view with all its servers, with an empty browser cache. */
export function benchColdOpen(browser: BenchBrowser): Promise<Figure[]> {
  return withDaemon({}, async daemon => {
    await deployEchoServers(daemon, SERVERS)
    // The very first open also starts the browser's processes.
    await openMs(browser, daemon)
    const times: number[] = []
    while (times.length < OPENS) times.push(await openMs(browser, daemon))
    const measured = median(times)
    const name = `cold open of the servers view with ${SERVERS} servers, until it is interactive`
    const limit = { at: 'most', value: LIMIT_MS, unit: 'ms' } as const
    return [{ name, value: `${measured.toFixed(0)} ms`, measured, limit }]
  })
}

async function openMs(browser: BenchBrowser, daemon: BenchDaemon): Promise<number> {
  const context = await browser.context(daemon)
  const page = await context.newPage()
  await page.addInitScript(MARK_WHEN_SHOWN)
  const url = consoleUrl(daemon, '/')!
  const events = await traced(page, async () => {
    await page.goto(url)
    await until(page, `performance.getEntriesByName('${MARK}').length > 0`)
  })
  await context.close()
  return timeOf(events, MARK) - timeOf(events, 'navigationStart')
}
