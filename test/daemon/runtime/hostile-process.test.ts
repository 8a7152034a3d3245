import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { RuntimeHarness } from '../../helpers/instance/runtime-harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** An instance program that serves and then runs `act`. */
function program(name: string, act: string): string {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(
    path,
    `import { writeSync } from 'node:fs'
    process.on('message', message => {
      if (message.type !== 'serve') return
      process.send({ type: 'serving', tenantId: message.tenant.id, prepareMs: 0 })
      setTimeout(act, 50)
    })
    process.on('disconnect', () => process.exit())
    process.send({ type: 'ready' })
    async function act() { ${act} }`,
  )
  return path
}

test.each([
  ['garbage', `writeSync(3, 'nonsense\\n')`, 'sent the daemon a malformed message'],
  [
    'shapeless',
    `process.send({ type: 'metrics', memoryBytes: 'all' })`,
    'sent the daemon a malformed message',
  ],
  [
    'forged',
    `writeSync(3, '{"cmd":"NODE_HANDLE_ACK"}\\n')`,
    "sent the daemon a forged message of Node's internal protocol",
  ],
])(
  'a process that sends an invalid message (%s) is killed, and its log says why',
  async (name, act, reason) => {
    await using harness = new RuntimeHarness({ instanceProgram: program(name, act) })
    await harness.add('dep_a')
    await harness.supervisor.start('dep_a')
    await harness.until(() =>
      harness.messages('dep_a').some(line => line.includes(`was killed because it ${reason}`)),
    )
  },
)

test('the deployment fails with the reason after five kills for invalid messages', async () => {
  await using harness = new RuntimeHarness({
    instanceProgram: program('again', `writeSync(3, 'nonsense\\n')`),
  })
  await harness.add('dep_a')
  await harness.supervisor.start('dep_a')
  await harness.until(() => harness.failures.length > 0)
  expect(harness.failures[0]?.error.message).toBe(
    'Server "dep_a" failed 5 times within 60 s; the last time its process was killed because it sent the daemon a malformed message.',
  )
})
