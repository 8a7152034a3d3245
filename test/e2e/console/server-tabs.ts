import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import {
  daemon,
  expectAccessible,
  expectNoViolations,
  goto,
  HARMLESS,
  HOSTILE,
  lengthenList,
  show,
  useConsole,
  visit,
} from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the tabs of a server', () => {
  useConsole()

  /** Deploys two releases. The second has another tool, and a hostile message. */
  const releaseTwice = async (name: string) => {
    await deploy(daemon, await buildServer(daemon, echoServer(name)), 'production')
    const [tool] = echoServer().tools
    const mcpId = await buildServer(daemon, echoServer(name, { tools: [{ ...tool, name: 'other' }] }))
    const body = { mcp_id: mcpId, environment: 'production', release: { message: HOSTILE } }
    return (await daemon.api('POST', '/v1/deploy', { body })).body.data
  }

  test('shows the log live, with all output from a server as harmless text', async () => {
    const { url } = await releaseTwice('logged')
    const page = await show('/servers/logged/logs')
    const log = page.getByRole('listbox', { name: 'Log lines' })
    await log.getByText(`${HARMLESS} red`).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await callTool(url, 'other', { text: 'hello' })
    await log.getByText('tools/call other').waitFor()
    await log.focus()
    await page.keyboard.press('End')
    await page.getByRole('region', { name: 'Selected line' }).getByText('requestId').waitFor()
    await expectAccessible(page)
  })

  test('filters the log by level and text, and keeps the filters in the URL', async () => {
    const { url } = await deploy(daemon, await buildServer(daemon, echoServer('sifted')), 'production')
    await callTool(url, 'say', { text: 'fine' })
    await callTool(url, 'say', {})
    const page = await show('/servers/sifted/logs')
    const lines = page.getByRole('option')
    await lines.filter({ hasText: 'initialize' }).first().waitFor()
    await page.getByLabel('Level').selectOption('warn and above')
    await lines.filter({ hasText: 'initialize' }).first().waitFor({ state: 'detached' })
    await lines.filter({ hasText: 'Invalid arguments for say' }).waitFor()
    await page.getByLabel('Text in log lines').fill('nothing has this')
    await page.getByText('No matching lines. New ones appear here.').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?level=warn&text=nothing+has+this')
    await page.getByLabel('Text in log lines').fill('tools/call')
    await lines.filter({ hasText: 'Invalid arguments for say' }).waitFor()
  })

  test('renders a log of 100,000 lines with few elements', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('long')), 'production')
    const page = await show('/servers/long')
    // The page opens the stream again when it ends.
    const bodies = [manyLines(100_000)]
    await page.route('**/api/servers/long/logs*', route =>
      route.fulfill({ contentType: 'text/event-stream', body: bodies.pop() ?? ':\n\n' }),
    )
    await page.getByRole('link', { name: 'Logs' }).click()
    const log = page.getByRole('listbox', { name: 'Log lines' })
    await log.getByText('line 99999').waitFor()
    await log.focus()
    await page.keyboard.press('Home')
    await log.getByText('line 0', { exact: true }).waitFor()
    expect(await log.getByRole('option').count()).toBeLessThan(100)
    expect(await log.getByRole('option').first().getAttribute('aria-setsize')).toBe('100000')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('keeps the current tab in view on a narrow screen', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('narrow')), 'production')
    const page = await show('/servers/narrow')
    await page.setViewportSize({ width: 360, height: 800 })
    const tabs = page.getByRole('navigation', { name: 'Views of the server' })
    for (const name of ['Settings', 'Overview']) {
      await tabs.getByRole('link', { name }).press('Enter')
      await page.reload()
      const current = tabs.locator('[aria-current]', { hasText: name })
      await expect.poll(() => isInside(current, tabs)).toBe(true)
    }
  })

  test('shows what each release changed, and rolls back after confirmation', async () => {
    await releaseTwice('rolled')
    const page = await show('/servers/rolled/releases')
    const release = (version: number) =>
      page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: `v${version}`, exact: true }) })
    await release(2).getByText(HARMLESS).waitFor()
    await release(2).getByText('1 breaking').click()
    await release(2).getByText('tools.say').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('button', { name: 'Roll back to v1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll rolled back to v1?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Roll back to v1' }).click()
    await dialog.getByRole('button', { name: 'Roll back to v1' }).click()
    await release(3).getByText('back to v1').waitFor()
    await release(3).getByText('deployed').waitFor()
    await page.getByText('rolled in production was rolled back to v1, as v3.').waitFor()
    await expectAccessible(page)
  })

  test('rolls development back to a release whose deployment was replaced', async () => {
    for (const version of ['1', '2'])
      await deploy(daemon, await buildServer(daemon, echoServer('tried', { version })))
    const page = await show('/servers/tried/releases')
    await page.getByRole('button', { name: 'Roll back to v1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll tried back to v1?' })
    await dialog.getByText('the current configuration and variables').waitFor()
    await dialog.getByRole('button', { name: 'Roll back to v1' }).click()
    await page.getByText('tried in development was rolled back to v1, as v3.').waitFor()
    expect(await page.getByRole('button', { name: 'Dismiss' }).count(), 'number of notices').toBe(1)
  })

  test('shows older releases on request', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('aged')), 'production')
    const page = await show()
    await lengthenList(page, '/api/servers/aged/releases', 'deploymentId')
    await visit(page, '/servers/aged/releases')
    const more = page.getByRole('button', { name: 'Show older releases' })
    await more.click()
    await more.waitFor({ state: 'detached' })
    expect(await page.getByRole('table').getByRole('rowheader', { name: 'v1' }).count()).toBe(51)
  })

  test('shows traffic and releases as charts or as a table, and keeps the choice in the URL', async () => {
    const { url } = await releaseTwice('charted')
    await callTool(url, 'other', { text: 'hello' })
    await callTool(url, 'other', {})
    const page = await show('/servers/charted')
    const table = page.getByRole('table', { name: 'Traffic of the last hour, newest first' })
    await page.locator('.chart canvas').nth(2).waitFor()
    await table.getByRole('row', { name: /v1, v2/ }).waitFor()
    const box = (await page.locator('.chart canvas').first().boundingBox())!
    await page.mouse.move(box.x + box.width - 10, box.y + 60)
    await page.locator('.chart', { hasText: 'p99' }).getByText(/:\d\d/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Table' }).click()
    await page.locator('.chart').first().waitFor({ state: 'detached' })
    await page.getByLabel('Period').selectOption('Last day')
    await page.getByRole('table', { name: 'Traffic of the last day, newest first' }).waitFor()
    expect(new URL(page.url()).search).toBe('?traffic=table&period=day')
    await expectNoViolations(page)
    await deploy(daemon, await buildServer(daemon, echoServer('idle')), 'production')
    await goto('/servers/idle/releases')
    await page.getByText('No requests in the last week.').waitFor()
  })

  test('stores and releases variables, and never shows a secret', async () => {
    const env = [
      { name: 'CITY', description: HOSTILE },
      { name: 'API_KEY', secret: true },
    ]
    const server = echoServer('settled', { env })
    const mcpId = await buildServer(daemon, server)
    await daemon.api('PATCH', '/v1/servers/settled/env/production', { body: { variables: { CITY: 'Oslo' } } })
    await daemon.api('PATCH', '/v1/servers/settled/env/production', {
      body: { variables: { API_KEY: 'first' } },
    })
    await deploy(daemon, mcpId, 'production')
    const page = await show('/servers/settled/settings')
    const variable = (name: string) => page.getByRole('row').filter({ hasText: name })
    await variable('CITY').getByText('Oslo').waitFor()
    await variable('API_KEY').getByText('secret, never shown').waitFor()
    await page.getByRole('button', { name: 'Change API_KEY' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('hunter2')
    await page.getByRole('button', { name: 'Save' }).click()
    await variable('API_KEY').getByText('not released').waitFor()
    expect(await page.content()).not.toContain('hunter2')
    await page.getByRole('button', { name: 'Add a variable' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('EXTRA')
    await page.getByRole('textbox', { name: 'Value' }).fill('<b>bold</b>')
    await page.getByLabel('Secret: never show').check()
    await page.getByLabel('Secret: never show').uncheck()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await variable('EXTRA').getByText('<b>bold</b>').waitFor()
    await page.getByRole('button', { name: 'Release now' }).click()
    await variable('API_KEY').getByText('released', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove EXTRA' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await variable('EXTRA').waitFor({ state: 'detached' })
    await expectAccessible(page)
  })
})

/** True if `inner` is horizontally within `outer`. Tolerates one pixel. */
async function isInside(inner: Locator, outer: Locator): Promise<boolean> {
  const [part, whole] = [(await inner.boundingBox())!, (await outer.boundingBox())!]
  return part.x > whole.x - 1 && part.x + part.width < whole.x + whole.width + 1
}

function manyLines(count: number): string {
  const fields = '"timestamp":"2026-11-23T08:00:00.000Z","stream":"stdout","phase":"RUN","level":"info"'
  return Array.from(
    { length: count },
    (_, number) => `data: {${fields},"message":"line ${number}"}\n\n`,
  ).join('')
}
