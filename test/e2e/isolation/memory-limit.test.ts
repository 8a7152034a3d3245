import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploy } from '../../daemon/http/fixtures.ts'
import { callTool } from '../../helpers/clients/tool-call.ts'
import { buildFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

const SLOW = `
import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Answers after a while',
  handler: () => new Promise(resolve => setTimeout(resolve, 300, 'done')),
})`

const LEAK = `
import { defineTool } from 'mcp-hosting/server'
const kept = []
const me = crypto.randomUUID()
export default defineTool({
  description: 'Keeps 8 MB more with each call',
  handler: () => { kept.push(Buffer.alloc(8_000_000, 1)); return me },
})`

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

test('an instance above its memory limit is replaced without a failed request, and the status says why', async () => {
  using project = createProjectFolder({ 'tools/leak.ts': LEAK, 'tools/slow.ts': SLOW })
  const { mcp_id } = await buildFolder(daemon, 'leaking', project.path)
  const config = { scaling: { min_instances: 1, max_instances: 1 }, limits: { memory_mb: 160 } }
  const { url, deployment_id } = await deploy(daemon, mcp_id, 'production', config)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = () => callTool(Number(new URL(url).port), 'leak', agent)
  const first = await call()
  let isReplaced = false
  // One of these calls is always in flight, even while the instance is being replaced.
  const activeCall = (async () => {
    while (!isReplaced) expect(await callTool(Number(new URL(url).port), 'slow')).toBe('done')
  })()
  let calls = 1
  // Rejects if any call fails.
  const leaks = (async () => {
    while ((await call()) === first) {
      calls++
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  })().finally(() => {
    isReplaced = true
  })
  await Promise.all([leaks, activeCall])
  expect(calls).toBeGreaterThan(5)
  const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  expect(body.data).toMatchObject({
    status: 'deployed',
    instances: expect.arrayContaining([
      expect.objectContaining({
        state: 'ready',
        restarts: 1,
        lastFailure: expect.stringMatching(/^was replaced: it used \d+ MB, limit 160 MB$/),
      }),
    ]),
  })
  agent.destroy()
})

test('a deployment in processes accepts a memory limit and rejects a CPU limit', async () => {
  using project = createProjectFolder({ 'tools/leak.ts': LEAK })
  const { mcp_id } = await buildFolder(daemon, 'limits', project.path)
  const config = { limits: { cpus: 2 } }
  const { status, body } = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id, environment: 'production', config },
  })
  expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  const large = await deploy(daemon, mcp_id, 'production', { limits: { memory_mb: 1024 } })
  expect(await callTool(Number(new URL(large.url).port), 'leak')).toMatch(/^[\da-f-]{36}$/)
})
