import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { isRunning } from '../../helpers/processes.ts'

/** Kills the daemon during the removal of a server. After the next start, the removal must be complete. */
let home: TestHome
beforeAll(() => {
  home = createHome()
})
afterAll(() => home.remove())

const BUILDS = 4

const STAGES: [stage: string, isReached: (database: BetterSqlite3.Database) => boolean][] = [
  ['begins', database => count(database, 'removals') > 0],
  ['has removed a deployment', database => count(database, 'deployments') < 3],
  ['has removed a build', database => count(database, 'builds') < BUILDS],
  ['removes the data', database => count(database, 'builds') === 0],
]

test.each(STAGES)(
  'after being killed when a removal %s, the daemon completes the removal at its next start',
  async (_, isReached) => {
    await home.json(['daemon', 'start'])
    const { pid } = home.discovery()!
    const database = new BetterSqlite3(`${home.dir}/daemon.db`, { readonly: true })
    let answer: Promise<unknown>
    do {
      await createServer()
      let isOver = false
      answer = api('DELETE', '/v1/servers/doomed?data=true')
        .catch(() => 'lost')
        .finally(() => (isOver = true))
      // Reads without a pause, so that the daemon is killed right after the step.
      while (!isReached(database) && !isOver) await new Promise(resolve => setImmediate(resolve))
      // On a busy machine, a step may pass between two reads. Then the removal is repeated.
    } while (!isReached(database))
    process.kill(pid, 'SIGKILL')
    database.close()
    await answer
    await eventually(() => !isRunning(pid))
    await home.json(['daemon', 'start'])
    const { builds, deployments } = await home.json<Record<string, unknown[]>>(['list'])
    expect({ builds, deployments }).toEqual({ builds: [], deployments: [] })
    expect(await home.json(['domains', 'list'])).toEqual([])
    const left = await api('DELETE', '/v1/servers/doomed?data=true')
    expect(left).toMatchObject({ error: { code: 'NOT_FOUND' } })
  },
)

/** Creates a server with three environments, several builds, a subdomain, a variable and stored data. */
async function createServer(): Promise<void> {
  const tool = { name: 'hi', description: 'Greets', inputSchema: { type: 'object' } }
  const body = { name: 'doomed', template: 'basic', tools: [tool] }
  let mcp_id = ''
  for (let at = 0; at < BUILDS; at++) mcp_id = (await api('POST', '/v1/build', body)).data.mcp_id
  const ids: string[] = []
  for (const environment of ['production', 'staging', 'development'])
    ids.push((await api('POST', '/v1/deploy', { mcp_id, environment })).data.deployment_id)
  await api('PUT', '/api/lambda-mapping/doomed-too', { deploymentId: ids[0] })
  await api('PATCH', '/v1/servers/doomed/env/production', { variables: { A: '1' } })
  await api('PATCH', '/v1/servers/doomed/store/production', { set: [{ key: 'a', value: 1 }] })
}

// biome-ignore lint/suspicious/noExplicitAny: reads any response
async function api(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${home.apiKey()}`, 'content-type': 'application/json' }
  const response = await fetch(home.discovery()!.url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}

function count(database: BetterSqlite3.Database, table: string): number {
  return (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count
}
