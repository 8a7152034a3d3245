import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Egress } from '../../../src/egress/egress.ts'
import { OWN_NETWORK } from '../../../src/shared/instances/instance-protocol.ts'
import type { NetworkSettings } from '../../../src/shared/network/network-policy.ts'
import { OPEN, resolver } from '../../egress/helpers.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'

export interface ModuleProcess {
  run(code: string): Promise<Record<string, unknown> & { result: unknown }>
  egress: Egress | undefined
  stop(): Promise<void>
}

/** Starts a process that runs code. With `hasNamespace`, it has an egress listener, and the test's resolver resolves names. */
export async function startModule(
  settings: NetworkSettings,
  { hasNamespace = true } = {},
): Promise<ModuleProcess> {
  const child = fork(fixtureProgram('moduleProcess'), [JSON.stringify(settings)], {
    execArgv: ['--no-warnings'],
    env: hasNamespace ? { [OWN_NETWORK]: '1' } : {},
  })
  let egress: Egress | undefined
  if (hasNamespace) {
    const [, listener] = await once(child, 'message')
    egress = new Egress(resolver, () => {})
    egress.receive({ type: 'listen', processId: 'a' }, listener)
    egress.receive({ type: 'policy', processId: 'a', settings: { ...OPEN, ...settings } })
  }
  await once(child, 'message')
  return { egress, run: code => run(child, code), stop: () => stop(child, egress) }
}

async function run(child: ChildProcess, code: string) {
  child.send({ code })
  const [answer] = await once(child, 'message')
  return answer
}

async function stop(child: ChildProcess, egress: Egress | undefined): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
  egress?.receive({ type: 'forget', processId: 'a' })
}
