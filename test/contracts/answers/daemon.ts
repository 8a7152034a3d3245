import { expect, test } from 'vitest'
import { open, readEvents } from '../../helpers/clients/mcp-requests.ts'
import type { Call, Contract } from '../contract.ts'

/** Tests API keys, and the daemon itself. */
export function testDaemon(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)

  test('creates, lists, checks and revokes API keys', async () => {
    await call('getApiKeyInfo')
    const { body } = await call('createApiKey', {}, { body: { name: 'ci', scopes: ['READ'] } })
    await call('listApiKeys', {}, { query: 'limit=1' })
    await call('checkApiKey', {}, { body: { key: body.key, method: 'GET', path: '/v1/build' } })
    await call('revokeApiKey', { id: body.apiKeyId })
  })

  test('streams events', async () => {
    const { daemon, api } = contract
    const headers = { authorization: `Bearer ${daemon.ownerKey}` }
    const stream = await open(`${daemon.url}/api/events`, { method: 'GET', headers })
    api.check('followEvents', {
      status: stream.statusCode!,
      headers: stream.headers,
      text: '',
      body: undefined,
    })
    expect((await readEvents(stream).next())?.json).toEqual({ type: 'reset', reason: 'new' })
    stream.destroy()
  })

  test('describes, backs up and stops the daemon', async () => {
    expect((await call('getDaemonHealth', {}, { query: 'challenge=abc' })).body).toMatchObject({
      status: 'ok',
      pid: process.pid,
    })
    const { headers } = await call('getOpenApi')
    await call('getOpenApi', {}, { headers: { 'if-none-match': headers.etag! } })
    await call('getPrometheusMetrics')
    const { body: backup } = await call('backUpDatabase')
    const { body: report } = await call('checkDaemon')
    expect(report.checks).toContainEqual(expect.objectContaining({ name: 'database', status: 'pass' }))
    expect((await call('repairDaemon', {}, { body: {} })).body).toEqual({ items: [] })
    const { body: backups } = await call('listBackups')
    expect(backups.items).toContainEqual(expect.objectContaining({ name: backup.name, reason: 'manual' }))
    expect((await call('describeDaemon')).body).toMatchObject({
      pid: process.pid,
      memoryBytes: expect.any(Number),
      upgrade: null,
    })
    await call('upgradeDaemon', {}, { body: {} })
    expect(contract.upgrades).toBe(1)
    await call('stopDaemon')
    await expect.poll(() => contract.stops).toBe(1)
  })
}
