import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginSession, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from '../http/fixtures.ts'

const INSTANCE = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const restart = (id: string) => daemon.api('POST', `/v1/deploy/${id}/restart`)
const health = async (id: string) => (await daemon.api('GET', `/api/lambda-deploy/${id}/health`)).body

/** Calls continuously on kept-alive connections in one session. `stop` returns every wrong answer. */
async function keepCalling(url: string) {
  const headers = await beginSession(url)
  const body = rpc('tools/call', { name: 'say', arguments: { text: 'hello' } })
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  let running = true
  let calls = 0
  const client = async () => {
    while (running) {
      const answer = await send(url, { headers, body, agent }).catch(error => ({
        status: 0,
        text: String(error),
      }))
      calls++
      if (answer.status !== 200 || !answer.text.includes('You said hello')) wrong.push(answer.text)
    }
  }
  const clients = [client(), client(), client(), client()]
  return {
    count: () => calls,
    async stop() {
      running = false
      await Promise.all(clients)
      agent.destroy()
      return wrong
    },
  }
}

async function hideArtifacts(whileHidden: () => Promise<void>): Promise<void> {
  const folder = daemon.home.artifacts
  expect(readdirSync(folder).length).toBeGreaterThan(0)
  renameSync(folder, `${folder}-hidden`)
  try {
    await whileHidden()
  } finally {
    renameSync(`${folder}-hidden`, folder)
  }
}

test('a restart that a daemon shutdown interrupts leaves the deployment deployed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-restart-'))
  const holdFile = join(folder, 'held')
  const other = await startTestDaemon({ instanceProgram: holdableProgram(folder, holdFile) })
  const { deployment_id } = await deploy(other, await buildServer(other), 'production')
  writeFileSync(holdFile, '')
  const answer = other.api('POST', `/v1/deploy/${deployment_id}/restart`).catch(String)
  const statusOf = async () => (await other.api('GET', `/v1/deploy/${deployment_id}/status`)).body.data
  await expect.poll(async () => (await statusOf()).instances.length).toBe(2)
  await other.restart({ instanceProgram: INSTANCE })
  await answer
  expect((await statusOf()).status).toBe('deployed')
  await other.close()
  rmSync(folder, { recursive: true })
})

/** The real instance program, except that a process started while a file exists never becomes ready. */
function holdableProgram(folder: string, holdFile: string): string {
  const program = join(folder, 'instance.mjs')
  const source = `import { existsSync } from 'node:fs'
if (existsSync(${JSON.stringify(holdFile)})) process.on('message', ({ type }) => type === 'shutdown' && process.exit(0))
else await import(${JSON.stringify(INSTANCE)})`
  writeFileSync(program, source)
  return program
}

describe.each(['production', 'development'])('a restart in %s', environment => {
  const wanted = environment === 'production' ? 2 : 1
  const config = wanted === 2 ? { scaling: { min_instances: 2, max_instances: 2 } } : {}
  let deployment_id: string
  let url: string
  beforeAll(async () => {
    const mcpId = await buildServer(daemon, echoServer(`restarted-${environment}`))
    ;({ deployment_id, url } = await deploy(daemon, mcpId, environment, config))
  })

  test('repeated restarts fail no request on kept-alive connections and replace the instances', async () => {
    const load = await keepCalling(url)
    for (let round = 0; round < 2; round++) {
      const calls = load.count()
      await expect.poll(load.count).toBeGreaterThan(calls + 20)
      const before = (await health(deployment_id)).instances.map(({ id }: { id: string }) => id)
      const { body } = await restart(deployment_id)
      expect(body.data.status).toBe('deployed')
      expect(before).not.toContain(body.data.instances[0].id)
    }
    const before = load.count()
    await expect.poll(load.count).toBeGreaterThan(before + 20)
    expect(await load.stop()).toEqual([])
    await expect.poll(async () => (await health(deployment_id)).instances.length).toBe(wanted)
    // Instances report once a second.
    await expect.poll(async () => (await health(deployment_id)).requests.total).toBe(load.count() + 1)
  })

  test('a failed restart reports the reason, and the old instances keep serving', async () => {
    const load = await keepCalling(url)
    await hideArtifacts(async () => {
      const { status, body } = await restart(deployment_id)
      expect(status).toBe(503)
      expect(body.error.message).toContain('its old instances keep serving')
    })
    expect(await load.stop()).toEqual([])
    expect((await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)).body.data.status).toBe('deployed')
    expect((await restart(deployment_id)).status).toBe(200)
  })

  test('concurrent restart requests succeed without a failed call', async () => {
    const load = await keepCalling(url)
    const answers = await Promise.all([restart(deployment_id), restart(deployment_id)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await load.stop()).toEqual([])
  })
})
