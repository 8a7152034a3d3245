import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspectPreview } from '../../../../src/daemon/services/builds/inspect-preview.ts'
import type { Previews } from '../../../../src/daemon/services/builds/previews.ts'
import type { Build } from '../../../../src/daemon/store/tables/builds.ts'
import { buildFolder } from '../../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

async function build(label: string): Promise<string> {
  using project = createProjectFolder({
    'tools/say.ts': `export default { description: '${label}', handler: () => '${label}' }`,
  })
  return (await buildFolder(daemon, 'debugged', project.path)).mcp_id
}

/** Starts a debugger for a build. The debugger runs until `close`. */
async function inspect(id: string) {
  const connection = new AbortController()
  const response = await fetch(`${daemon.url}/v1/build/${id}/inspector?port=0`, {
    headers: { authorization: `Bearer ${daemon.ownerKey}`, accept: 'text/event-stream' },
    signal: connection.signal,
  })
  return { response, close: () => connection.abort() }
}

const urlOf = async (id: string) => (await daemon.api('GET', `/v1/build/${id}/inspector`)).body.data.url

/** Earlier versions of Node forbid the inspector in isolated processes. */
const CAN_INSPECT = process.allowedNodeEnvironmentFlags.has('--allow-inspector')

test.runIf(CAN_INSPECT)(
  'a server has one debugger at a time, and the next one can start after the first one closes',
  async () => {
    const older = await build('older')
    const first = await inspect(older)
    const url = await urlOf(older)
    const { port } = new URL(url)
    const refused = await inspect(older)
    expect(refused.response.status).toBe(409)
    expect(await refused.response.json()).toHaveProperty(
      'error.message',

      `The preview of "debugged" already has a debugger, on port ${port}.`,
    )
    expect(await urlOf(older)).toBe(url)
    const newer = await build('newer')
    expect((await inspect(newer)).response.status).toBe(409)
    first.close()
    const second = await inspect(newer)
    expect(second.response.status).toBe(200)
    expect(await urlOf(newer)).toMatch(/^ws:/)
    second.close()
  },
)

test.runIf(CAN_INSPECT)('a debugger that could not be started does not prevent the next one', async () => {
  const previews = {
    startInspected: (_build: unknown, _findPort: unknown, ended: Promise<void>) => {
      hasEnded = ended.then(() => true)
      return Promise.reject(new Error('not started'))
    },
  } as unknown as Previews
  let hasEnded: Promise<boolean> | undefined
  const { signal } = new AbortController()
  await expect(inspectPreview(previews, { id: 'mcp_x' } as Build, { port: 0, signal })).rejects.toThrow()
  expect(await hasEnded).toBe(true)
})
