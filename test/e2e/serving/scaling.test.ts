import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern, modernHeaders, send } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

const TOOL = `
import { defineTool } from 'mcp-hosting/server'
const me = crypto.randomUUID()
export default defineTool({
  description: 'Blocks the event loop briefly, and returns who did',
  handler() {
    for (const end = Date.now() + 20; Date.now() < end; );
    return me
  },
})`

let daemon: TestDaemon
let deployed: { url: string; deployment_id: string }
beforeAll(async () => {
  daemon = await startTestDaemon({ poolLimits: { calmMs: 500 } })
  using project = createProjectFolder({ 'tools/burn.ts': TOOL })
  const config = { scaling: { min_instances: 1, max_instances: 2 } }
  deployed = await deployFolder(daemon, 'burning', project.path, { config })
})
afterAll(() => daemon.close())

test('a server with a saturated event loop gets a second instance, which kept-alive clients also reach, until the load drops', async () => {
  const idle = new AbortController()
  const answeredBy = new Set<string>()
  const clients = Array.from({ length: 4 }, () => keepCalling(idle.signal, answeredBy))
  await Promise.all([
    eventually(async () => (await countReady()) === 2),
    eventually(() => answeredBy.size === 2),
  ])
  idle.abort()
  await Promise.all(clients)
  await eventually(async () => (await countReady()) === 1)
  const lines = await scalingLines()
  expect(lines).toEqual(['scaled from 1 to 2 instances', 'scaled from 2 to 1 instances'])
})

/** Calls over one connection that only the server closes. Every call must be answered. */
async function keepCalling(signal: AbortSignal, answeredBy: Set<string>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!signal.aborted) {
    const body = modern('tools/call', { name: 'burn' })
    const { status, json } = await send(deployed.url, {
      body,
      headers: modernHeaders('tools/call', 'burn'),
      agent,
    })
    expect(status).toBe(200)
    answeredBy.add(json.result.content[0].text)
  }
  agent.destroy()
}

async function countReady(): Promise<number> {
  const { body } = await daemon.api('GET', `/v1/deploy/${deployed.deployment_id}/status`)
  return body.data.instances.filter(({ state }: { state: string }) => state === 'ready').length
}

async function scalingLines(): Promise<string[]> {
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${deployed.deployment_id}/logs?grep=scaled`)
  return body.lines.map(({ message }: { message: string }) => message)
}
