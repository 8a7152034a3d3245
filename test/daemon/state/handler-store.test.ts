import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENVIRONMENT_RULES } from '../../../src/daemon/services/deployments/environments.ts'
import { postModern } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { runOnStore, storeTool } from '../../helpers/daemon/store-tool.ts'
import { createKey } from '../http/fixtures.ts'

/** Handler module that does not catch errors from the store. */
const COUNT = `export default { description: 'Counts', handler: (_args, { store }) => store.increment('count') }`

let daemon: TestDaemon
let wallMs = Date.parse('2026-01-01T00:00:00Z')
let urls: { production: string; staging: string; other: string }
beforeAll(async () => {
  daemon = await startTestDaemon({ clock: () => new Date(wallMs) })
  urls = {
    production: await deploy('notes', 1, { scaling: { min_instances: 2, max_instances: 2 } }),
    staging: await deploy('notes', 1, {}, 'staging'),
    other: await deploy('other', 1),
  }
})
afterAll(() => daemon.close())

async function deploy(name: string, version: number, config: object = {}, environment = 'production') {
  using project = createProjectFolder({ 'tools/run.ts': storeTool(version) })
  const { url } = await deployFolder(daemon, name, project.path, { environment, config })
  return url as string
}

async function idOf(name: string, status: string): Promise<string> {
  const { body } = await daemon.api('GET', '/v1/deploy')
  return body.data.items.find(
    (one: { name: string; status: string }) => one.name === name && one.status === status,
  ).deployment_id
}

describe('the store of a server', () => {
  test('the store of a server is separate for each environment', async () => {
    await runOnStore(urls.production, 'set', ['where', 'production'])
    await runOnStore(urls.staging, 'set', ['where', 'staging'])
    expect((await runOnStore(urls.production, 'get', ['where'])).result).toBe('production')
    expect((await runOnStore(urls.staging, 'get', ['where'])).result).toBe('staging')
    expect((await runOnStore(urls.other, 'get', ['where'])).result).toBeNull()
  })

  test('all instances share a store and lose no increment and no transaction', async () => {
    const calls = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0
        ? runOnStore(urls.production, 'increment', ['count'])
        : runOnStore(urls.production, 'transfer'),
    )
    const results = await Promise.all(calls)
    expect(results.filter(({ code }) => code)).toEqual([])
    expect((await runOnStore(urls.production, 'get', ['count'])).result).toBe(15)
    expect((await runOnStore(urls.production, 'get', ['to'])).result).toBe(15)
    expect((await runOnStore(urls.production, 'get', ['from'])).result).toBe(-15)
  })

  test('the store survives releases, rollbacks and restarts of the daemon', async () => {
    await runOnStore(urls.production, 'set', ['kept', [1, { a: 'é' }]])
    await deploy('notes', 2)
    expect(await runOnStore(urls.production, 'get', ['kept'])).toEqual({
      version: 2,
      result: [1, { a: 'é' }],
    })
    await daemon.api('POST', `/v1/deploy/${await idOf('notes', 'deployed')}/rollback`)
    expect((await runOnStore(urls.production, 'get', ['kept'])).result).toEqual([1, { a: 'é' }])
    await runOnStore(urls.staging, 'set', ['slept', true])
    await daemon.restart()
    expect((await runOnStore(urls.staging, 'get', ['slept'])).result).toBe(true) // wakes up for this call
    expect((await runOnStore(urls.production, 'get', ['kept'])).result).toEqual([1, { a: 'é' }])
  })

  test('the store survives a sleep after the idle time', async () => {
    const rules = ENVIRONMENT_RULES.development
    const { idleSeconds } = rules
    rules.idleSeconds = 0.05
    try {
      const url = await deploy('sleeper', 1, {}, 'development')
      await runOnStore(url, 'set', ['dream', ['a', 1]])
      const id = await idOf('sleeper', 'deployed')
      const status = async () => (await daemon.api('GET', `/v1/deploy/${id}/status`)).body.data
      await expect.poll(async () => (await status()).instances).toEqual([])
      expect((await runOnStore(url, 'get', ['dream'])).result).toEqual(['a', 1])
      const { body } = await daemon.api('GET', `/api/lambda-deploy/${id}/logs?limit=1000`)
      const messages = body.lines.map(({ message }: { message: string }) => message)
      expect(messages).toContain('asleep after 0.05 s without a connection or a request')
    } finally {
      rules.idleSeconds = idleSeconds
    }
  })

  test('the store separates the entries of a signed-in user, who can have several keys, from the shared ones', async () => {
    using project = createProjectFolder({ 'tools/run.ts': storeTool(1) })
    const config = { auth: { provider: 'local' } }
    const { url, sign_in } = await deployFolder(daemon, 'protected', project.path, { config })
    const { key } = await createKey(daemon, { scopes: ['READ'], plan: 'free' })
    const [first, second] = await Promise.all(
      [daemon.ownerKey, key].map(async one => (await signInWithKey(sign_in.issuer, one)).tokens.access_token),
    )
    const call = async (token: string | undefined, op: string, args: unknown[], at?: string) => {
      const params = { name: 'run', arguments: { op, args, ...(at && { at }) } }
      const { json } = await postModern(url, 'tools/call', params, { authorization: `Bearer ${token}` })
      return JSON.parse(json.result.content[0].text).result
    }
    await call(first, 'set', ['who', 'me'], 'user')
    expect(await call(second, 'list', [''], 'user')).toEqual([{ key: 'who', value: 'me' }])
    expect(await call(first, 'get', ['who'])).toBeNull()
  })

  test('the store keeps acknowledged writes when instances are killed during them', async () => {
    const instances = async () =>
      (await daemon.api('GET', `/v1/deploy/${await idOf('notes', 'deployed')}/status`)).body.data.instances
    const before = await instances()
    const acknowledged = new Set<number>()
    const writers = Array.from({ length: 40 }, async (_, at) => {
      const { result } = await runOnStore(urls.production, 'set', [`killed/${at}`, at])
      if (result === null) acknowledged.add(at)
      if (at % 20 === 0) for (const { pid } of await instances()) if (pid) process.kill(pid, 'SIGKILL')
    })
    await Promise.allSettled(writers)
    const { result } = await runOnStore(urls.production, 'list', ['killed/'])
    const stored = new Set(result.map(({ value }: { value: number }) => value))
    expect([...acknowledged].filter(at => !stored.has(at))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(0)
    expect(before.map(({ pid }: { pid: number }) => pid)).not.toEqual(
      (await instances()).map(({ pid }: { pid: number }) => pid),
    )
  })

  test('the store expires entries by the clock of the daemon', async () => {
    await runOnStore(urls.production, 'set', ['soon', 1, { ttlSeconds: 60 }])
    expect((await runOnStore(urls.production, 'get', ['soon'])).result).toBe(1)
    wallMs += 60_000
    expect((await runOnStore(urls.production, 'get', ['soon'])).result).toBeNull()
  })

  test('the status shows the size of the store, and the API shows its entries', async () => {
    await runOnStore(urls.staging, 'set', ['listed', [1]])
    const { body } = await daemon.api('GET', '/v1/servers/notes/store/staging?key=listed')
    expect(body.data.items).toEqual([{ key: 'listed', user: null, value: [1], expires_at: null }])
    const id = (await daemon.api('GET', '/v1/deploy?environment=staging')).body.data.items[0].deployment_id
    const status = await daemon.api('GET', `/v1/deploy/${id}/status`)
    expect(status.body.data.store).toEqual(body.data.usage)
    expect((await daemon.api('GET', '/v1/servers/none/store/staging')).status).toBe(404)
  })

  test('errors for exceeded limits, wrong types and store.user without sign-in have codes', async () => {
    expect(await runOnStore(urls.production, 'set', ['big', 'x'.repeat(140_000)])).toMatchObject({
      code: 'TOO_LARGE',
    })
    expect(await runOnStore(urls.production, 'get', ['k'.repeat(2049)])).toMatchObject({
      code: 'INVALID_KEY',
    })
    await runOnStore(urls.production, 'set', ['text', 'no number'])
    expect(await runOnStore(urls.production, 'increment', ['text'])).toMatchObject({ code: 'NOT_A_NUMBER' })
    expect(await runOnStore(urls.production, 'get', ['a'], 'user')).toMatchObject({ code: 'NO_USER' })
  })

  test('a failure of the store is a tool error, and the store works again once its file is accessible', async () => {
    using project = createProjectFolder({ 'tools/count.ts': COUNT })
    const file = join(daemon.home.state, 'failing', 'production', 'store.db')
    mkdirSync(file, { recursive: true })
    const { url } = await deployFolder(daemon, 'failing', project.path)
    const failed = await callTool(url, 'count', {})
    expect(failed).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('The store cannot be read or written.') }],
      isError: true,
    })
    expect(JSON.stringify(failed)).not.toContain(daemon.home.home)
    rmSync(file, { recursive: true })
    expect((await callTool(url, 'count', {})).content).toEqual([{ type: 'text', text: '1' }])
  })

  test('the store accepts values of the maximum size with the most expensive content', async () => {
    const commas = `[${'0,'.repeat(65_000)}0]`
    expect(await runOnStore(urls.production, 'set', ['commas', JSON.parse(commas)])).toEqual({
      version: 1,
      result: null,
    })
    // A message of 32 to 64 KB leaves part of Node's read buffer unused.
    for (const size of [40_000, 50_000, 60_000]) {
      await runOnStore(urls.production, 'set', ['half', 'x'.repeat(size)])
      expect((await runOnStore(urls.production, 'get', ['half'])).result).toHaveLength(size)
    }
    const controls = '\u0001'.repeat(21_000)
    await runOnStore(urls.production, 'set', ['controls', controls])
    expect((await runOnStore(urls.production, 'get', ['controls'])).result).toBe(controls)
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => runOnStore(urls.other, 'set', [`k${at}`, 'x'.repeat(130_000)])),
    )
    expect((await runOnStore(urls.other, 'list', ['k', { limit: 20 }])).result).toHaveLength(20)
  })
})
