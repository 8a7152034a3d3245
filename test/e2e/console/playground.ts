import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { host } from '../programs/hosted-program.ts'
import { browser } from './browser.ts'
import { type OpenConsole, openConsole, overflows, violations } from './open-console.ts'

const EVERYTHING = fileURLToPath(new URL('../../../node_modules/.bin/mcp-server-everything', import.meta.url))
const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe \u05e9\u05dc\u05d5\u05dd'

/** Tools with each kind of hint, and texts that a page must not believe. */
const NOTES = {
  name: 'notes',
  template: 'basic',
  tools: [
    {
      name: 'search',
      description: HOSTILE,
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 20 } },
        required: ['query'],
      },
      handler: { type: 'template', text: `Found {{ query }} ${HOSTILE}` },
    },
    {
      name: 'delete',
      description: 'Deletes a note',
      annotations: { destructiveHint: true },
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      handler: { type: 'template', text: 'Deleted {{ id }}' },
    },
  ],
}

describe.runIf(CHROMIUM !== undefined)('the playground', () => {
  let daemon: TestDaemon
  let open: OpenConsole
  let page: Page
  beforeAll(async () => {
    daemon = await startTestDaemon()
    await deploy(daemon, await buildServer(daemon, NOTES), 'production')
    await host(daemon, 'everything', { command: EVERYTHING })
    open = await openConsole(browser, daemon)
    page = open.page
  })
  afterEach(() => expect(open.errors).toEqual([]))
  afterAll(async () => {
    await open?.close()
    await daemon?.close()
  })

  const show = (server: string, kind: string, name: string) =>
    open.goto(`/servers/${server}/playground?kind=${kind}&name=${encodeURIComponent(name)}`)
  const result = () => page.getByRole('region', { name: 'Result' })

  const expectAccessible = async () => {
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    for (const width of [360, 768]) expect(await overflows(page, width), String(width)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  test('runs a tool from its form with the keyboard alone, and shows the answer as harmless text', async () => {
    await open.goto('/servers/notes/playground')
    await page.getByRole('link', { name: 'search' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('sear')
    await page.getByRole('link', { name: 'delete' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByLabel('query').fill('tea')
    await page.keyboard.press('Control+Enter')
    await result().getByText('Found tea <img src=x onerror=alert(1)>').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?env=production&kind=tool&name=search')
    await expectAccessible()
  })

  test('runs a tool with raw JSON, and shows the error of the server for invalid arguments', async () => {
    await show('notes', 'tool', 'search')
    await page.getByLabel('query').press('Alt+KeyJ')
    await page.getByLabel('JSON of search').fill('{"query": "milk", "limit": 21}')
    await page.keyboard.press('Control+Enter')
    await page.getByText('tool error').first().waitFor()
    await result().getByText(/limit/).first().waitFor()
    await page.getByLabel('JSON of search').fill('{"query": "milk", "limit": 20}')
    await page.keyboard.press('Control+Enter')
    await result().getByText('Found milk').waitFor()
  })

  test('asks for confirmation before it runs a destructive tool', async () => {
    await show('notes', 'tool', 'delete')
    await page.getByLabel('id').fill('7')
    await page.getByRole('button', { name: 'Run' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run delete in production?' })
    await dialog.getByText('"id": "7"').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await result().count()).toBe(0)
    await page.getByRole('button', { name: 'Run' }).click()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await result().getByText('Deleted 7').waitFor()
  })
})
