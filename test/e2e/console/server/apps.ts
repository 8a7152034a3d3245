import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { host } from '../../programs/hosted-program.ts'
import { daemon, expectAccessible, show, useConsole } from '../use-console.ts'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/apps/', import.meta.url))

/** Writes the HTML of two apps: one that uses the SDK for apps, in one file, and one that attacks its host. */
async function writeApps(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-apps-'))
  const entry = join(FIXTURES, 'order.js')
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    write: false,
    minify: true,
  })
  const script = outputFiles[0]!.text.replaceAll('</script', '<\\/script')
  writeFileSync(
    join(folder, 'order.html'),
    `<!doctype html><title>Order</title><body></body><script type="module">${script}</script>`,
  )
  cpSync(join(FIXTURES, 'attack.html'), join(folder, 'attack.html'))
  return folder
}

describe.runIf(CHROMIUM !== undefined)('apps of tools in the playground', () => {
  useConsole()
  let page: Page
  let folder: string
  beforeAll(async () => {
    folder = await writeApps()
    await host(daemon, 'shop', { command: process.execPath, args: [join(FIXTURES, 'server.mjs'), folder] })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const open = async (tool: string) => {
    // Reloading empties the list of calls.
    page = await show(`/servers/shop/playground?kind=tool&name=${tool}`, { reload: true })
  }
  const run = async (fields: Record<string, string> = {}) => {
    for (const [label, value] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
  }
  const app = () => page.frameLocator('.pg-app iframe').frameLocator('iframe')
  const press = (name: string) => app().getByRole('button', { name }).click()
  const frames = () => page.locator('.pg-app iframe').count()
  const attack = (kind: string) => run({ kind, api: daemon.url })
  const failure = (text: string) =>
    page.getByRole('region', { name: 'App' }).getByRole('alert').getByText(text)

  test("shows a call in the tool's app, adjusts the height to the content, and stops the app on request", async () => {
    await open('show_order')
    await run({ id: '7' })
    await app().getByText('Input: 7').waitFor()
    await app().getByText('Result: Order 7 has shipped').waitFor()
    await app().getByText('Theme: light').waitFor()
    await page.getByText('The app uses https://api.shop.example, https://*.cdn.example.').waitFor()
    await page.getByText('Not allowed: http://127.0.0.1:6273, https://localhost.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'dark theme' }).click()
    await app().getByText('Theme: dark').waitFor()
    await press('Grow')
    await page.locator('.pg-app iframe[style*="height: 5"]').waitFor()
    await page.getByRole('button', { name: 'Stop the app' }).click()
    await page.getByText('The app was stopped.').waitFor()
    expect(await frames()).toBe(0)
    await page.getByText('1 message from the app').click()
    await page.getByText('saved').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await app().getByText('Result: Order 7 has shipped').waitFor()
  })

  test('lists the calls of an app, refuses tools that are not for apps, and asks before destructive ones and links', async () => {
    await open('show_order')
    await run({ id: '7' })
    await press('Add note')
    await app().getByText('Noted: fragile').waitFor()
    const calls = page.getByRole('region', { name: 'Calls' }).getByRole('listitem')
    await calls.filter({ hasText: 'add_note' }).getByText('app', { exact: true }).waitFor()
    await app().getByText('Result: Order 7 has shipped').waitFor()
    await press('Advise')
    await app().getByText('The server has no tool "advise" for apps.').waitFor()
    const erase = page.getByRole('dialog', { name: 'Run erase in development?' })
    await press('Erase')
    await erase.getByRole('button', { name: 'Cancel' }).click()
    await app().getByText('The user refused the call.').waitFor()
    await press('Erase')
    await erase.getByRole('button', { name: 'Run' }).click()
    await app().getByText('Erased').waitFor()
    expect(await calls.count()).toBe(3)
    await press('Say')
    await page.getByText('1 message from the app').click()
    await page.getByText('Where is it?').waitFor()
    const link = page.getByRole('dialog', { name: 'Open shop.example?' })
    await press('Link')
    await link.getByText('https://shop.example/orders/7').waitFor()
    await page.keyboard.press('Escape')
    await app().getByText('link false').waitFor()
    await press('Link')
    const opened = page.context().waitForEvent('page')
    await link.getByRole('button', { name: 'Open' }).click()
    await (await opened).close()
    await app().getByText('link true').waitFor()
  })

  test('explains why an app cannot be shown, and shows the result instead', async () => {
    await open('broken')
    await run()
    await failure('has the type text/plain, not text/html;profile=mcp-app').waitFor()
    await page.getByText('The text of the tool').waitFor()
    await page.getByRole('link', { name: 'show_order', exact: true }).click()
    await page.route(/\/frame\?/, route => route.abort('connectionrefused'))
    await run({ id: '7' })
    await failure('The browser cannot reach frames.mcp-apps.localhost').waitFor()
    await page.getByText('Order 7 has shipped').waitFor()
    await page.unrouteAll()
    await page.route('**/api/console/session', route =>
      route.fulfill({ json: { appFrames: 'http://frames.mcp-apps.localhost:1' } }),
    )
    await page.getByRole('button', { name: 'Try again' }).click()
    await failure('Reload the page.').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await app().getByText('Result: Order 7 has shipped').waitFor()
  })

  test('an app cannot reach the page, its cookie, the API or undeclared sites, and cannot leave its frame', async () => {
    await open('show_order')
    await page.getByRole('link', { name: 'attack', exact: true }).click()
    await attack('reach')
    await app().getByText('reach finished').waitFor()
    const lines = await app().locator('li').allTextContents()
    expect(lines.filter(line => line.includes('SUCCEEDED'))).toEqual([])
    expect(lines).toHaveLength(17)
    for (const [kind, refusal] of [
      ['navigate', /^Framing 'http:.*"frame-src 'none'"/],
      ['form', /^Sending form data to 'http:.*"form-action 'none'"/],
    ] as const) {
      const refused = page.waitForEvent('console', message => refusal.test(message.text()))
      await attack(kind)
      await refused
    }
    await attack('forge')
    await app().getByText('forge finished').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const { pathname, searchParams } = new URL(page.url())
    expect([pathname, searchParams.get('name')]).toEqual(['/console/servers/shop/playground', 'attack'])
  })

  test('limits the height of an app, the number and size of its messages, and its questions', async () => {
    await open('attack')
    await attack('resize')
    await app().getByText('resize finished').waitFor()
    await page.locator('.pg-app iframe[style*="height: 800px"]').waitFor()
    await attack('huge')
    await failure('The app sent a message over 2 MB.').waitFor()
    await attack('flood')
    await failure('The app sent more than 300 messages in a second.').waitFor()
    expect(await frames()).toBe(0)
    await attack('nag')
    for (let count = 0; count < 3; count++)
      await page
        .getByRole('dialog', { name: 'Open evil.example?' })
        .getByRole('button', { name: 'Cancel' })
        .click()
    await app().getByText('answer 20').waitFor()
    await app().getByText('answer 99').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await attack('flood top')
    await failure('The app sent more than 300 messages in a second.').waitFor()
    await page.getByText('done').first().waitFor()
  })

  // Some Playwright calls, such as screenshots, wait for every frame. They cannot be used while the app hangs.
  test('the page stays usable while an app is in an endless loop, and the user can stop the app', async () => {
    await open('attack')
    await attack('hang')
    await page.getByText('1 message from the app').click()
    await page.getByText('busy').waitFor()
    expect(await page.evaluate(`fetch('/health').then(({ status }) => status)`)).toBe(200)
    await page.getByRole('button', { name: 'JSON', exact: true }).last().click()
    await page.locator('[aria-pressed=true]', { hasText: 'JSON' }).waitFor()
    expect(await frames()).toBe(1)
    await page.getByRole('button', { name: 'Stop the app' }).click()
    await page.getByText('The app was stopped.').waitFor()
    expect(await frames()).toBe(0)
  })
})
