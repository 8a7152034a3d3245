import { expect, test } from 'vitest'
import { moduleIsolationProblem } from '../../../src/shared/sandbox/module-isolation.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { InstanceHarness, tenantAt } from '../../helpers/instance/instance-harness.ts'

const BUNDLE = `console.log('user code ran'); export default { definitions: [] }`

/** Error for a bundle in a process that ran `preload` before its own program. */
async function refusalAfter(preload: string) {
  const harness = new InstanceHarness({ execArgv: ['--import', `data:text/javascript,${preload}`] })
  try {
    const artifact = createArtifact({ program: { type: 'module', bundle: 'digest' } })
    harness.send({ type: 'describe', tenant: tenantAt(1, { id: 'build_1' }), artifact, bundle: BUNDLE })
    const { message } = await harness.message('failed')
    return { message, output: harness.output }
  } finally {
    await harness.stop()
  }
}

test('runs no user code on a Node version that the seals do not support', async () => {
  const { message, output } = await refusalAfter(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '28.0.0' } })`,
  )
  expect(message).toBe(
    'Handler modules cannot be isolated on Node 28.0.0: use Node.js 22 (22.19 or newer), 24 or 26.',
  )
  expect(output).not.toContain('user code ran')
})

test.each([
  ['a function', `delete process.getBuiltinModule('fs').readvSync`, 'fs.readvSync was not found.'],
  ['a native handle', `Object.getOwnPropertySymbols = () => []`, 'the handle of the'],
])('no user code runs when %s that must be sealed is missing', async (_what, preload, reason) => {
  const { message, output } = await refusalAfter(preload)
  expect(message).toContain(`Handler modules cannot be isolated on Node ${process.versions.node}: ${reason}`)
  expect(output).not.toContain('user code ran')
})

test('reports an internal error in the seals as one line without source code', async () => {
  const { message } = await refusalAfter(
    `Object.defineProperty(process, 'dlopen', { get() { throw new TypeError('unexpected') } })`,
  )
  expect(message).toMatch(/: Internal error on Node [\d.]+: TypeError: unexpected at [^\n]{1,200}$/)
})

test('an uncaught error is reported as one line without source code', async () => {
  const harness = new InstanceHarness({
    execArgv: ['--import', `data:text/javascript,process.once('SIGUSR2', () => { null.x })`],
  })
  await harness.message('ready')
  harness.child.kill('SIGUSR2')
  await new Promise(resolve => harness.child.once('close', resolve))
  expect(harness.child.exitCode).toBe(1)
  expect(harness.output).toMatch(
    /^Internal error on Node [\d.]+: TypeError: Cannot read .* at [^\n]{1,200}\n$/,
  )
})

test.each(['22.19.0', '24.21.0', '26.10.0'])('Node %s is supported for handler modules', version => {
  expect(moduleIsolationProblem(version)).toBeUndefined()
})
