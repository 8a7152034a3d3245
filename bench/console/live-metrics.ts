import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { consoleUrl } from '../../src/cli/targets/console-link.ts'
import { type BenchDaemon, callEcho, deployEchoServers, withDaemon } from '../daemon.ts'
import { median } from '../measure.ts'
import { cpuSecondsOf, descendantsOf } from '../processes.ts'
import type { Figure } from '../report.ts'
import { type BenchBrowser, until } from './browser.ts'

const SERVERS = 500
/** Number of servers that are called about every second, so that their figures change. */
const CALLED = 20
const ROUNDS = 5
const ROUND_MS = 10_000

interface Cost {
  page: number
  daemon: number
}

/** Processor time of the page that shows many servers with live figures, and what it costs the daemon. Linux only. */
export function benchLiveMetrics(browser: BenchBrowser): Promise<Figure[]> {
  return withDaemon({ MCP_ENTERPRISE_LIMIT: '10000000' }, async daemon => {
    const urls = (await deployEchoServers(daemon, SERVERS, 'development')).map(({ url }) => url)
    const context = await browser.context(daemon)
    const page = await context.newPage()
    const url = consoleUrl(daemon, '/')!
    const [open, closed]: [Cost[], Cost[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto(url)
      await until(page, `document.querySelectorAll('a.server-name').length === ${SERVERS}`)
      open.push(await costDuring(browser, daemon, urls))
      await page.goto('about:blank')
      closed.push(await costDuring(browser, daemon, urls))
    }
    await context.close()
    const costOf = (name: keyof Cost) => median(open.map((cost, round) => cost[name] - closed[round]![name]))
    const labelled = (what: string) => `${SERVERS} servers with live figures: ${what}, share of a core`
    return [
      shareFigure(labelled('page'), costOf('page'), 5),
      shareFigure(labelled('daemon'), costOf('daemon'), 3),
    ]
  })
}

/** Percentages of a core while a few servers are called. */
async function costDuring(browser: BenchBrowser, daemon: BenchDaemon, urls: string[]): Promise<Cost> {
  // Loading the page is not part of the cost.
  await sleep(2000)
  const pages = renderersOf(browser)
  const [pageBefore, daemonBefore] = [cpuSecondsOf(pages), cpuSecondsOf([daemon.pid])]
  const start = performance.now()
  while (performance.now() < start + ROUND_MS) {
    for (const url of urls.slice(0, CALLED)) await callEcho(url)
    await sleep(1000)
  }
  const seconds = (performance.now() - start) / 1000
  const share = (cpuSeconds: number) => (cpuSeconds * 100) / seconds
  return {
    page: share(cpuSecondsOf(pages) - pageBefore),
    daemon: share(cpuSecondsOf([daemon.pid]) - daemonBefore),
  }
}

/** The processes of the browser that run pages. */
function renderersOf({ pid }: BenchBrowser): number[] {
  return descendantsOf(pid)
    .map(child => child.pid)
    .filter(child => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--type=renderer'))
}

function shareFigure(name: string, measured: number, limit: number): Figure {
  return { name, value: `${measured.toFixed(1)} %`, measured, limit: { at: 'most', value: limit, unit: '%' } }
}
