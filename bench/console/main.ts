import type { Figure } from '../report.ts'
import { startBrowser } from './browser.ts'
import { benchColdOpen } from './cold-open.ts'
import { benchLiveMetrics } from './live-metrics.ts'
import { benchLogScroll } from './log-scroll.ts'

/** The console in Chromium: a cold open, a long log, and the cost of live figures. Linux only. */
export async function benchConsole(): Promise<Figure[]> {
  const browser = await startBrowser()
  try {
    return [
      ...(await benchColdOpen(browser)),
      ...(await benchLogScroll(browser)),
      ...(await benchLiveMetrics(browser)),
    ]
  } finally {
    await browser.close()
  }
}
