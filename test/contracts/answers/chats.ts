import { expect, test } from 'vitest'
import { suiteRun } from '../../daemon/http/fixtures.ts'
import { startModelStub } from '../../helpers/services/model-stub.ts'
import type { Call, Contract } from '../contract.ts'

/** Tests chats, suite runs and model keys. Uses the build from an earlier test. */
export function testChats(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('runs tests, and reads and removes chats', async () => {
    const stub = await startModelStub('compatible', [{ status: 400 }])
    const { body } = await call(
      'runTest',
      {},
      { body: { mcp_id: contract.mcpId, message: 'call echo with hi' } },
    )
    const { chat_id: chatId } = body.data
    const other = { mcp_id: contract.mcpId, message: 'x', ai_model: `openai:m@${stub.url}` }
    expect((await call('runTest', {}, { body: other })).status).toBe(502)
    await stub.close()
    const replay = { ...other, cassette: { mode: 'replay', responses: {} } }
    expect((await call('runTest', {}, { body: replay })).body.error.code).toBe('NOT_RECORDED')
    await call('listChats', {}, { query: 'limit=1' })
    await call('listChatMessages', { chatId }, { query: 'limit=1' })
    expect((await call('countChatMessages', { chatId })).body).toMatchObject({
      chatId,
      messageCount: expect.any(Number),
    })
    await call('removeChat', { chatId })
  })

  test('stores runs of test suites', async () => {
    const { body: stored } = await call('createSuiteRun', {}, { body: suiteRun(contract.mcpId) })
    expect(stored).toMatchObject({ server: 'echo', suite: 'greetings', author: 'owner', deploymentId: null })
    expect(stored).not.toHaveProperty('cases')
    const { body: page } = await call('listSuiteRuns', {}, { query: 'server=echo' })
    expect(page.items).toEqual([stored])
    const { body: run } = await call('getSuiteRun', { id: stored.id })
    expect(run).toEqual({ ...stored, definition: suiteRun('').definition, cases: suiteRun('').cases })
    await call('removeSuiteRun', { id: stored.id })
  })

  test('saves, lists and removes model keys', async () => {
    await call('saveModelKey', { vendor: 'openai' }, { body: { apiKey: 'sk-0123456789abcdef' } })
    await call('listModelKeys')
    await call('removeModelKey', { vendor: 'openai' })
  })
}
