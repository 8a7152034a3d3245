import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { deployExamples } from '../test/e2e/console/example-servers.ts'
import { type OpenConsole, openConsole } from '../test/e2e/console/open-console.ts'
import { showView, VIEWS, type View } from '../test/e2e/console/views.ts'
import { findChromium, launchChromium } from '../test/helpers/clients/chromium.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../test/helpers/daemon/daemon.ts'
import { makeCertificate, servedFingerprint } from '../test/helpers/services/certificates.ts'
import { addHistory } from './console-history.ts'

/**
 * Starts a daemon with an empty home and the servers of the tests, and writes pictures of every view in both themes to
 * docs/console/. Needs Chromium and a build (`npm run build`).
 */
const folder = fileURLToPath(new URL('../docs/console/', import.meta.url))
const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const SIZE = { width: 1280, height: 800 }
/** Wait for live figures, which arrive once a second. */
const SETTLED_MS = 1500
/** Wait for the small charts of live figures, which are empty when the page opens. */
const LIVE_MS = 25_000

/** Calls that are made while the pictures are taken, and the milliseconds between them. */
const TRAFFIC: readonly [server: string, tool: string, args: Record<string, unknown>, everyMs: number][] = [
  ['weather', 'current_weather', { city: 'Oslo' }, 1100],
  ['weather', 'forecast', { city: 'Lima', days: 2 }, 1900],
  ['dice', 'roll', { count: 2 }, 1300],
  ['orders', 'find_order', {}, 2300],
]

/** Certificates from files. They expire after this number of days. */
const CERTIFICATES: readonly [server: string, host: string, days: number][] = [
  ['dice', 'dice.example.com', 9.5],
  ['orders', 'orders.example.com', -2.5],
]

const daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
const browser = await launchChromium({ executablePath: findChromium(process.env) })
try {
  clear()
  for (const theme of THEMES) await takeEmpty(theme)
  await using _examples = await deployExamples(daemon)
  addHistory(daemon.home.database)
  await addCertificates(daemon)
  using _traffic = await startTraffic(daemon)
  for (const theme of THEMES) await takeAll(browser, daemon, theme)
} finally {
  await browser.close()
  await daemon.close()
}

function clear(): void {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (file.endsWith('.png')) rmSync(join(folder, file))
}

async function takeEmpty(theme: Theme): Promise<void> {
  const open = await openConsole(browser, daemon, { theme })
  await open.page.setViewportSize(SIZE)
  await open.page.getByRole('heading', { name: 'Deploy your first server' }).waitFor()
  await take(open.page, 'empty', theme)
  await open.close()
}

async function takeAll(browser: Browser, daemon: TestDaemon, theme: Theme): Promise<void> {
  const open = await openConsole(browser, daemon, { theme })
  const { page } = open
  await page.setViewportSize(SIZE)
  await takeCertificates(open, theme)
  for (const view of VIEWS) {
    await open.goto(view.path)
    await settleView(page, view)
    await take(page, view.name, theme)
  }
  await takeDialogs(page, theme)
  if (open.errors.length > 0) throw new Error(open.errors.join('\n'))
  await open.close()
}

/** Takes a picture of the lower part of the Domains view. */
async function takeCertificates({ page, goto }: OpenConsole, theme: Theme): Promise<void> {
  await goto('/domains')
  await page.getByRole('heading', { name: 'Local authority' }).waitFor()
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await take(page, 'certificates', theme)
}

/** Takes pictures of the commands, a dialog, and the view on a phone. */
async function takeDialogs(page: Page, theme: Theme): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('wea')
  await take(page, 'commands', theme)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('button', { name: 'New server' }).click()
  await take(page, 'new-server', theme)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 360, height: 800 })
  await take(page, 'narrow', theme)
}

async function take(page: Page, name: string, theme: Theme): Promise<void> {
  await page.waitForTimeout(SETTLED_MS)
  writeFileSync(join(folder, `${name}-${theme}.png`), await page.screenshot())
}

/** Adds a name whose certificate expires soon and one whose certificate has expired, and connects to another over HTTPS. */
async function addCertificates(daemon: TestDaemon): Promise<void> {
  const { body } = await daemon.api('GET', '/v1/deploy?environment=production&status=deployed')
  for (const [server, host, days] of CERTIFICATES) {
    const { deployment_id } = body.data.items.find(({ name }: Deployed) => name === server)
    await daemon.api('POST', `/v1/deploy/${deployment_id}/reconfigure`, {
      body: { config: { domain: host } },
    })
    const { pem, key } = await makeCertificate(host, days)
    mkdirSync(daemon.home.tls, { recursive: true, mode: 0o700 })
    writeFileSync(join(daemon.home.tls, `${host}.pem`), pem)
    writeFileSync(join(daemon.home.tls, `${host}.key`), key)
  }
  const { body: certificates } = await daemon.api('GET', '/api/certificates')
  await servedFingerprint('weather.localhost', certificates.port)
}

async function startTraffic(daemon: TestDaemon): Promise<Disposable> {
  const { body } = await daemon.api('GET', '/v1/deploy?environment=production&status=deployed')
  const urls = new Map<string, string>(body.data.items.map((item: Deployed) => [item.name, item.url]))
  const timers = TRAFFIC.map(([server, tool, args, everyMs]) =>
    setInterval(() => void callTool(urls.get(server)!, tool, args), everyMs),
  )
  return { [Symbol.dispose]: () => timers.forEach(clearInterval) }
}

interface Deployed {
  name: string
  url: string
}

/** Waits for the view, and for charts and live figures. The playground also shows a result. */
async function settleView(page: Page, view: View): Promise<void> {
  await showView(page, view)
  if (view.name === 'playground') await runTool(page)
  if (view.name === 'servers') await page.waitForTimeout(LIVE_MS)
  await page.evaluate('scrollTo(0, 0)')
}

async function runTool(page: Page): Promise<void> {
  await page.getByLabel('city').selectOption('Oslo')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('tool error').or(page.getByText('humidity_percent')).first().waitFor()
}
