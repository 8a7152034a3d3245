import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { type ModelStub, startModelStub } from '../../helpers/services/model-stub.ts'
import { browser } from './browser.ts'
import { type OpenConsole, openConsole, overflows, violations } from './open-console.ts'

const KEY = 'sk-test-0123456789abcdef'

/** Markup and a change of the writing direction. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202egnp.exe'
const HARMLESS = '<img src=x onerror=alert(1)>'

describe.runIf(CHROMIUM !== undefined)('the chats of the console', () => {
  let daemon: TestDaemon
  let open: OpenConsole | undefined
  let stub: ModelStub | undefined
  beforeAll(async () => {
    daemon = await startTestDaemon()
  })
  afterEach(async () => {
    const errors = open?.errors
    await open?.close()
    await stub?.close()
    open = undefined
    stub = undefined
    expect(errors ?? []).toEqual([])
  })
  afterAll(async () => {
    await daemon?.close()
  })

  const show = async (path = '/chat', key?: string): Promise<Page> => {
    open = await openConsole(browser, daemon, { path, ...(key && { key }) })
    return open.page
  }
  const expectAccessible = async (page: Page) => {
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])
    for (const width of [360, 768]) expect(await overflows(page, width), String(width)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  test('an administrator saves the key of a vendor, which is not shown again', async () => {
    const page = await show()
    await page.getByText('There is no server to chat with').waitFor()
    await page.getByText('mcp models login anthropic').waitFor()
    await page.getByRole('button', { name: 'Set the key of OpenAI' }).click()
    await page.getByLabel('Key', { exact: true }).fill(KEY)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('…cdef').waitFor()
    expect(await page.content()).not.toContain(KEY)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove the key of OpenAI' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('mcp models login anthropic').waitFor()
  })

  test('shows the calls of an answer as they happen, continues the chat, and deletes it', async () => {
    stub = await startModelStub('anthropic', [
      { text: 'One moment.', calls: [{ name: 'say', arguments: { text: HOSTILE } }] },
      { text: `It said\n${HOSTILE}` },
      { text: 'Second answer' },
    ])
    const body = { apiKey: KEY, baseUrl: stub.url }
    await daemon.api('PUT', '/api/model-keys/anthropic', { body })
    await deploy(daemon, await buildServer(daemon, echoServer('parrot')), 'staging')
    const page = await show('/chat?server=parrot&env=staging')
    await page.getByLabel('Message').fill('Say it')
    await page.keyboard.press('Enter')
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText(/claude-sonnet-4-5 · .* · 240 tokens/).waitFor()
    expect(await log.innerText()).toContain(`It said\n${HARMLESS}`)
    expect(await log.locator('img').count()).toBe(0)
    await log.locator('summary').first().press('Enter')
    await log.getByText(`You said ${HARMLESS}`).waitFor()
    await expectAccessible(page)
    expect(page.url()).toMatch(/\/chat\/chat_/)
    await page.reload()
    await log.getByText('One moment.').waitFor()
    await page.getByLabel('Message').fill('Once more')
    await page.getByRole('button', { name: 'Send' }).click()
    await log.getByText('Second answer').waitFor()
    const asked = stub.requests.at(-1)!.body.messages as unknown[]
    expect(asked.length, 'the conversation so far').toBe(5)
    await page.getByRole('button', { name: /^Delete the chat with parrot/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('None yet.').waitFor()
    expect((await daemon.api('GET', '/api/chats')).body.items).toEqual([])
  })

  test('stops a running answer, and keeps its message for another attempt', async () => {
    stub = await startModelStub('anthropic', [{ silent: true }, { status: 401 }])
    const body = { apiKey: KEY, baseUrl: stub.url }
    await daemon.api('PUT', '/api/model-keys/anthropic', { body })
    await buildServer(daemon, echoServer('slow'))
    const page = await show('/chat?server=slow')
    await page.getByLabel('Message').fill('Are you there?')
    await page.keyboard.press('Enter')
    await expect.poll(() => stub!.requests.length).toBe(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the answer.').waitFor()
    await expect.poll(() => stub!.requests[0]!.aborted).toBe(true)
    expect(await page.getByLabel('Message').inputValue()).toBe('Are you there?')
    await stub.close()
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/The model claude-sonnet-4-5/)
      .waitFor()
  })

  test('shows which scope a key lacks, and changes of model keys only to administrators', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const page = await show('/chat', key)
    await page.getByRole('alert').getByText(/CHAT/).first().waitFor()
    await open!.close()
    const { key: chatKey } = await createKey(daemon, { scopes: ['READ', 'CHAT'] })
    await (await show('/chat', chatKey)).getByRole('table', { name: 'Keys of model vendors' }).waitFor()
    expect(await open!.page.getByRole('button', { name: /key of/ }).count()).toBe(0)
  })
})
