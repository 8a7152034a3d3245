import { afterEach, describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { type ModelStub, startModelStub, type Turn } from '../../helpers/services/model-stub.ts'
import {
  daemon,
  expectAccessible,
  HARMLESS,
  HOSTILE,
  lengthenList,
  show,
  useConsole,
  visit,
} from './use-console.ts'

const KEY = 'sk-test-0123456789abcdef'

describe.runIf(CHROMIUM !== undefined)('the chats of the console', () => {
  useConsole()
  let stub: ModelStub | undefined
  afterEach(async () => {
    await stub?.close()
    stub = undefined
  })

  /** Starts a stub of the default model's vendor that answers with these turns. */
  const startVendor = async (...turns: Turn[]): Promise<ModelStub> => {
    stub = await startModelStub('anthropic', turns)
    const body = { apiKey: KEY, baseUrl: stub.url }
    await daemon.api('PUT', '/api/model-keys/anthropic', { body })
    return stub
  }

  test('an administrator saves a key for a vendor, and the key is not shown again', async () => {
    const page = await show('/chat')
    await page.getByText('There is no server to chat with').waitFor()
    await page.getByText('mcp models login anthropic').waitFor()
    await page.getByRole('button', { name: 'Set the OpenAI API key' }).click()
    await page.getByLabel('Key', { exact: true }).fill(KEY)
    await page.getByLabel('Base URL').fill('https://models.example.com/v1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('…cdef').waitFor()
    expect(await page.content()).not.toContain(KEY)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove the OpenAI API key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('mcp models login anthropic').waitFor()
    await page.getByRole('link', { name: 'Deploy your first server' }).click()
    await page.getByRole('heading', { name: 'Deploy your first server' }).waitFor()
  })

  test('shows the tool calls of an answer, continues the chat after a reload, and deletes it', async () => {
    const vendor = await startVendor(
      { text: 'One moment.', calls: [{ name: 'say', arguments: { text: HOSTILE } }] },
      { text: `It said\n${HOSTILE}` },
      { text: 'Second answer' },
    )
    await deploy(daemon, await buildServer(daemon, echoServer('parrot')), 'staging')
    const page = await show('/chat?server=parrot&env=staging')
    await page.getByLabel('Message').fill('Say it')
    await page.keyboard.press('Enter')
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText(/claude-sonnet-4-5 · .* · 240 tokens/).waitFor()
    expect(await log.textContent()).toContain(`It said\n${HARMLESS}`)
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
    const asked = vendor.requests.at(-1)!.body.messages as unknown[]
    expect(asked.length, 'the conversation so far').toBe(5)
    await page.getByRole('button', { name: /^Delete the chat with parrot/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('None yet.').waitFor()
    expect((await daemon.api('GET', '/api/chats')).body.items).toEqual([])
  })

  test("stops a running answer, and keeps the user's message for another attempt", async () => {
    const vendor = await startVendor({ silent: true }, { status: 401 })
    await buildServer(daemon, echoServer('slow'))
    const page = await show('/chat?server=slow')
    await page.getByLabel('Message').fill('Are you there?')
    await page.keyboard.press('Enter')
    await expect.poll(() => vendor.requests.length).toBe(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the answer.').waitFor()
    await expect.poll(() => vendor.requests[0]!.aborted).toBe(true)
    expect(await page.getByLabel('Message').inputValue()).toBe('Are you there?')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/rejected the key/)
      .waitFor()
  })

  test('shows more chats on request', async () => {
    await startVendor({ text: 'Hello' })
    const mcp_id = await buildServer(daemon, echoServer('busy'))
    await daemon.api('POST', '/v1/test', { body: { mcp_id, message: 'Hi' } })
    const page = await show()
    await lengthenList(page, '/api/chats', 'chatId')
    await visit(page, '/chat')
    const more = page.getByRole('button', { name: 'Show more chats' })
    await more.click()
    await more.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: /^Delete the chat with busy/ }).count()).toBe(31)
  })

  test('lets only administrators change model keys', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ', 'CHAT'] })
    const page = await show('/chat', { key })
    await page.getByRole('table', { name: 'Keys of model vendors' }).waitFor()
    expect(await page.getByRole('button', { name: /API key$/ }).count()).toBe(0)
  })
})
