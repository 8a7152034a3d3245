import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { deployExamples } from '../test/e2e/console/example-servers.ts'
import { openConsole } from '../test/e2e/console/open-console.ts'
import { showView, VIEWS, type View } from '../test/e2e/console/views.ts'
import { findChromium, launchChromium } from '../test/helpers/clients/chromium.ts'
import { startTestDaemon, type TestDaemon } from '../test/helpers/daemon/daemon.ts'

/**
 * Starts a daemon with an empty home and the servers of the tests, and writes pictures of every view in both themes to
 * docs/console/. Needs Chromium and a build (`npm run build`).
 */
const folder = fileURLToPath(new URL('../docs/console/', import.meta.url))
const THEMES = ['light', 'dark'] as const
const SIZE = { width: 1280, height: 800 }
/** Live figures arrive once a second. */
const SETTLED_MS = 1500

const daemon = await startTestDaemon()
const browser = await launchChromium({ executablePath: findChromium(process.env) })
try {
  await using _examples = await deployExamples(daemon)
  clear()
  for (const theme of THEMES) await takeAll(browser, daemon, theme)
} finally {
  await browser.close()
  await daemon.close()
}

function clear(): void {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (file.endsWith('.png')) rmSync(join(folder, file))
}

async function takeAll(browser: Browser, daemon: TestDaemon, theme: (typeof THEMES)[number]): Promise<void> {
  const open = await openConsole(browser, daemon, { theme })
  await open.page.setViewportSize(SIZE)
  for (const view of VIEWS) {
    await open.goto(view.path)
    await settleView(open.page, view)
    writeFileSync(join(folder, `${view.name}-${theme}.png`), await open.page.screenshot())
  }
  await open.close()
  if (open.errors.length > 0) throw new Error(open.errors.join('\n'))
}

/** Waits for the view, and for charts and live figures. The playground also shows a result. */
async function settleView(page: Page, view: View): Promise<void> {
  await showView(page, view)
  if (view.name === 'playground') await callTool(page)
  await page.waitForTimeout(SETTLED_MS)
  await page.evaluate('scrollTo(0, 0)')
}

async function callTool(page: Page): Promise<void> {
  await page.getByLabel('city').selectOption('Oslo')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('tool error').or(page.getByText('humidity_percent')).first().waitFor()
}
