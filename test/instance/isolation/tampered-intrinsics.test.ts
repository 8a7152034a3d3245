import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sealedFlags } from '../../../src/daemon/engine/process-engine.ts'
import type { FromInstance } from '../../../src/shared/instances/instance-protocol.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { InstanceHarness, tenantAt } from '../../helpers/instance/instance-harness.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/isolation/${name}`, import.meta.url))
const PROGRAM = fileURLToPath(new URL('../../../dist/instance.js', import.meta.url))

test('no replaced intrinsic breaks a seal or leaks an original function, a handle or a message from the daemon', async () => {
  const collect = encodeURIComponent(readFileSync(fixture('collect-originals.mjs'), 'utf8'))
  const execArgv = [...sealedFlags(PROGRAM), '--import', `data:text/javascript,${collect}`]
  const harness = new InstanceHarness({ execArgv })
  // A process that has exited cannot receive messages.
  const pings = setInterval(() => harness.child.connected && harness.send({ type: 'ping' }), 2)
  try {
    const tenant = tenantAt(1, { id: 'build_1', env: { PROGRAM } })
    const artifact = createArtifact({ program: { type: 'module', bundle: 'digest' } })
    const bundle = readFileSync(fixture('tamper.mjs'), 'utf8')
    harness.send({ type: 'describe', tenant, artifact, bundle })
    const ended = once(harness.child, 'exit')
    const answer = await Promise.race([harness.message('described'), harness.message('failed'), ended])
    expect(answer, harness.output.slice(-2000)).toMatchObject({ type: 'described' })
    const { described } = answer as Extract<FromInstance, { type: 'described' }>
    const result = JSON.parse(described.tools[0]!.description)
    expect(result.found).toEqual([])
    expect(result.replaced).toBeGreaterThan(2000)
    expect(harness.received.filter(({ type }) => type === 'alive').length).toBeGreaterThan(10)
  } finally {
    clearInterval(pings)
    await harness.stop()
  }
})
