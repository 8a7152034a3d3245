import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { callTool } from '../../../helpers/daemon/daemon.ts'
import {
  daemon,
  expectAccessible,
  expectNoViolations,
  HARMLESS,
  HOSTILE,
  show,
  useConsole,
  visit,
} from '../use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the requests of a server in the console', () => {
  useConsole()
  let url: string
  beforeAll(async () => {
    ;({ url } = await deploy(daemon, await buildServer(daemon, echoServer('asked')), 'development'))
  })

  const rows = (page: Page) => page.getByRole('listbox', { name: 'Requests' }).getByRole('option')

  test('shows requests as they arrive, and opens one with its arguments and answer', async () => {
    const page = await show('/servers/asked/requests')
    await page.getByText('No calls yet. They appear here as clients send them.').waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Show handshakes, lists and pings, too' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?show=all')
    await visit(page, '/servers/asked/requests')
    await callTool(url, 'say', { text: HOSTILE })
    await callTool(url, 'say', {})
    await rows(page).filter({ hasText: 'error' }).filter({ hasText: 'say tools/call' }).waitFor()
    // A session id may contain "ok".
    const answered = rows(page).filter({ has: page.getByText('ok', { exact: true }) })
    await answered.filter({ hasText: 'say tools/call' }).click()
    const detail = page.getByRole('region', { name: 'Selected request' })
    await detail.getByText(`You said ${HARMLESS}`).waitFor()
    await detail.getByText(`"${HARMLESS}`).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await expectAccessible(page)
    await page.reload()
    await detail.getByText(`You said ${HARMLESS}`).waitFor()
    await rows(page).and(page.locator('[aria-selected=true]')).waitFor()
    await detail.getByRole('button', { name: 'Close the request' }).click()
    await detail.waitFor({ state: 'detached' })
    await rows(page).first().click()
    await detail.waitFor()
    await page.goBack()
    await detail.waitFor({ state: 'detached' })
  })

  test('filters requests by outcome, text and values, and keeps the filters in the URL', async () => {
    const { url } = await deploy(daemon, await buildServer(daemon, echoServer('sifted')), 'development')
    await callTool(url, 'say', { text: 'Oslo' })
    await callTool(url, 'say', {})
    const page = await show('/servers/sifted/requests')
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.getByLabel('Kind of request').selectOption('All requests')
    await rows(page).filter({ hasText: 'initialize' }).first().waitFor()
    await page.getByLabel('Outcome').selectOption('Only error')
    await rows(page).filter({ hasText: 'initialize' }).first().waitFor({ state: 'detached' })
    const texts = () => rows(page).allTextContents()
    await expect.poll(texts).toEqual([expect.stringMatching(/errorsay tools\/call.*text/)])
    await page.keyboard.press('/')
    await page.keyboard.type('nothing has this')
    await page.getByText('No matching requests. New ones appear here.').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?show=all&outcome=error&text=nothing+has+this')
    await page.getByLabel('Outcome').selectOption('All outcomes')
    await page.getByLabel('Text in requests').fill('oslo')
    await rows(page).filter({ hasText: 'say' }).click()
    await page.getByRole('button', { name: 'say', exact: true }).click()
    await page.getByRole('button', { name: 'Remove filter: tool say' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.has('tool')).toBe(false)
  })

  test('replays a call with other arguments, and compares the answers', async () => {
    const mcpId = await buildServer(daemon, echoServer('again'))
    const { url } = await deploy(daemon, mcpId, 'development')
    await deploy(daemon, mcpId, 'staging', { auth: { provider: 'local' } })
    await callTool(url, 'say', { text: 'Oslo' })
    const page = await show('/servers/again/requests?env=development&method=tools/call')
    await rows(page).first().click()
    const replay = async (text: string) => {
      await page.getByRole('button', { name: 'Replay' }).click()
      const dialog = page.getByRole('dialog', { name: 'Call say again?' })
      await dialog.getByLabel('Arguments').fill(text)
      await dialog.getByLabel('Environment').selectOption('development')
      await dialog.getByRole('button', { name: 'Replay' }).click()
      return dialog
    }
    await page.getByRole('button', { name: 'Test case…' }).click()
    const testCase = page.getByRole('dialog', { name: 'Test case for say' })
    await testCase.getByRole('textbox').fill('Say Oslo')
    await testCase.getByText('arguments: {"text":"Oslo"}').waitFor()
    await page.keyboard.press('Escape')
    const dialog = await replay('{"text": ')
    await dialog.getByText('The arguments are not valid JSON.').waitFor()
    expect(await dialog.getByLabel('Bearer token').count()).toBe(0)
    await dialog.getByLabel('Environment').selectOption('staging')
    await dialog.getByLabel('Bearer token').fill('token')
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await replay('{"text": "Oslo"}')
    const result = page.getByRole('status', { name: 'Result of the replay' })
    await result.getByText('same answer').waitFor()
    // The answer may be below what the panel shows, so the panel scrolls to it.
    const panel = await page.getByRole('region', { name: 'Selected request' }).boundingBox()
    await expect.poll(async () => bottomOf(await result.boundingBox())).toBeLessThanOrEqual(bottomOf(panel))
    await replay('{"text": "Lima"}')
    await result.getByText('You said Lima').waitFor()
    await result.getByText('different answer').waitFor()
    await expectNoViolations(page)
    await rows(page).nth(2).waitFor()
    await rows(page).first().click()
    await page.getByRole('button', { name: 'Show the original' }).click()
    await page.getByRole('region', { name: 'Selected request' }).getByText('You said Oslo').waitFor()
  })

  test('exports matching requests as an HTTP archive', async () => {
    await callTool(url, 'say', { text: 'exported' })
    const page = await show('/servers/asked/requests?text=exported')
    await rows(page).first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Export/ }).click(),
    ])
    expect(download.suggestedFilename()).toBe('asked.har')
    const { log } = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(log.entries).toMatchObject([{ _record: { tool: 'say' } }])
    expect(log.entries[0].request.postData.text).toContain('exported')
  })

  test('renders 10,000 requests with few elements, and loads older ones', async () => {
    const page = await show('/servers/asked')
    await page.route('**/api/requests?*', route => {
      const { searchParams } = new URL(route.request().url())
      if (searchParams.get('limit') === null)
        return route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' })
      const json = searchParams.has('nextToken')
        ? { items: manyRecords(4000, 'older'), nextToken: null }
        : { items: manyRecords(6000, 'newer'), nextToken: 'next' }
      return route.fulfill({ json })
    })
    await page.getByRole('link', { name: 'Requests' }).click()
    await rows(page).filter({ hasText: 'newer 0' }).first().waitFor()
    expect(await page.evaluate('document.querySelector(".rows").clientHeight % 32')).toBe(0)
    await page.getByRole('button', { name: 'Show older requests' }).click()
    const list = page.getByRole('listbox', { name: 'Requests' })
    // The End key moves to the last loaded request.
    await list.locator('[aria-setsize="10000"]').first().waitFor()
    await list.focus()
    await page.route('**/api/requests/*', route => route.fulfill({ json: manyRecords(1, 'older')[0] }))
    await page.keyboard.press('End')
    await rows(page).filter({ hasText: 'older 3999' }).waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    await page.getByRole('button', { name: 'Newest', exact: true }).click()
    await rows(page).filter({ hasText: 'newer 0' }).first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

function manyRecords(count: number, name: string) {
  return Array.from({ length: count }, (_, number) => ({
    id: `req_${name}${number}`,
    environment: 'development',
    timestamp: '2026-11-23T08:00:00.000Z',
    durationMs: 1.5,
    method: 'tools/call',
    tool: `${name} ${number}`,
    target: null,
    sessionId: 'Dj93afax',
    caller: null,
    requestId: '1',
    requestBytes: 10,
    responseBytes: 20,
    outcome: 'ok',
    status: null,
    code: null,
    reason: null,
    replayOf: null,
    version: 1,
    instance: 'inst_a',
    bodies: 'none',
    isReplayable: false,
  }))
}

function bottomOf(box: { y: number; height: number } | null): number {
  return box!.y + box!.height
}
