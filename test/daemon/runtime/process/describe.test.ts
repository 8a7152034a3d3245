import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { buildArtifact } from '../../../../src/daemon/builder/build-artifact.ts'
import { digestOf } from '../../../../src/daemon/builder/digest.ts'
import { createTenant } from '../../../fixtures/instance/tenant.ts'
import { RuntimeHarness } from '../../../helpers/instance/runtime-harness.ts'
import { descendantsOf } from '../../../helpers/processes.ts'

const PROGRAM = fileURLToPath(new URL('../../../../dist/instance.js', import.meta.url))
/** Time limit that is long enough for any process that exits by itself. */
const LONG_MS = 20_000

async function describeCode(bundle: string, timeoutMs = LONG_MS, memoryLimitMb = 256) {
  await using runtime = new RuntimeHarness({ instanceProgram: PROGRAM, memoryLimitMb })
  return await runtime.supervisor.describe(createTenant('mcp_1'), codeOf(bundle), { timeoutMs })
}

function codeOf(bundle: string) {
  const request = { name: 'shop', template: 'custom' as const }
  const program = { type: 'module' as const, bundle: digestOf(bundle) }
  return { artifact: buildArtifact(request, { program }).artifact, bundle }
}

const tool = (code: string) =>
  `${code}
export default { definitions: [{ kind: 'tool', path: 'tools/a.ts', export: 'default', definition: { description: 'A', handler() {} } }] }`

test('a dedicated process loads the code, returns its definitions and stops', async () => {
  const before = descendantsOf(process.pid)
  const { tools } = await describeCode(tool(''))
  expect(tools).toMatchObject([
    { name: 'a', handler: { type: 'module', path: 'tools/a.ts', export: 'default' } },
  ])
  expect(descendantsOf(process.pid)).toEqual(before)
})

test('a timer that code leaves running does not keep its process alive', async () => {
  const before = descendantsOf(process.pid)
  await describeCode(tool('setInterval(() => {}, 1000)'))
  expect(descendantsOf(process.pid)).toEqual(before)
})

test.each([
  ['loops forever', 'for (;;) {}'],
  ['waits forever', 'await new Promise(() => { setInterval(() => {}, 1000) })'],
])('code that %s on import times out', async (_what, code) => {
  await expect(describeCode(tool(code), 1500)).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: 'The server did not load within 1.5 s.',
  })
})

test('code that throws on import is reported with its stack trace', async () => {
  await expect(describeCode(tool('throw new RangeError("too far")'))).rejects.toMatchObject({
    code: 'INVALID_MCP',
    message: 'The server cannot be loaded: too far',
    cause: { trace: expect.stringContaining('RangeError: too far\n    at ') },
  })
})

test('code that fills the heap is reported with its output, without the V8 report', async () => {
  const code = `console.log('filling'); const all = []; for (;;) all.push(new Array(100000).fill({}))`
  await expect(describeCode(tool(code), LONG_MS, 64)).rejects.toMatchObject({
    code: 'INVALID_MCP',
    message: "The server's process crashed: out of memory (limit 64 MB) while it was loading.",
    details: 'filling',
  })
})

test('close does not wait for code that is being loaded', async () => {
  await using runtime = new RuntimeHarness({ instanceProgram: PROGRAM })
  const bundle = tool('await new Promise(() => { setInterval(() => {}, 1000) })')
  const described = runtime.supervisor.describe(createTenant('mcp_1'), codeOf(bundle), {
    timeoutMs: LONG_MS,
  })
  const refused = expect(described).rejects.toMatchObject({ code: 'INTERRUPTED' })
  await runtime.supervisor.close()
  await refused
})
