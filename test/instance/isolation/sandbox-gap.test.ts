import { expect, test } from 'vitest'
import { SANDBOX_GAP } from '../../../src/shared/instances/instance-protocol.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { InstanceHarness, tenantAt } from '../../helpers/instance/instance-harness.ts'

test('a missing OS sandbox is logged, but the reason is hidden from the handler module', async () => {
  const gap = "runs under Node's permission model only, because bubblewrap is not installed here"
  const harness = new InstanceHarness({ env: { [SANDBOX_GAP]: gap } })
  const artifact = createArtifact({ program: { type: 'module', bundle: 'digest' } })
  const bundle = `console.log('sees ' + process.env.${SANDBOX_GAP}); throw new Error('enough')`
  harness.send({ type: 'describe', tenant: tenantAt(1, { id: 'build_1' }), artifact, bundle })
  await harness.message('failed')
  await harness.stop()
  expect(harness.output).toContain(`the code ${gap}`)
  expect(harness.output).toContain('sees undefined')
})
