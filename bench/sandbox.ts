import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { moduleSandbox } from '../src/daemon/engine/module-sandbox.ts'
import { nodeFlags, processEnvironment, sealedFlags } from '../src/daemon/engine/process-engine.ts'
import { OWN_NETWORK } from '../src/shared/instances/instance-protocol.ts'
import { interleave, median } from './measure.ts'
import type { Figure } from './report.ts'

const ROUNDS = 31
const HEAP_MB = 256
const PROGRAM = fileURLToPath(new URL('../dist/instance.js', import.meta.url))

/** Time until a process for handler modules is ready, with and without its sandbox. */
export async function benchSandbox(): Promise<Figure[]> {
  const sandbox = moduleSandbox()
  if (!sandbox.usable) return [{ name: `sandbox of handler modules: ${sandbox.why}`, value: 'not measured' }]
  const ownNetwork = sandbox.hasNetworks
  const alone = [process.execPath, ...nodeFlags(HEAP_MB), ...sealedFlags(PROGRAM), PROGRAM, 'inst_bench']
  const nodeArguments = (inside: string) => [
    ...nodeFlags(HEAP_MB),
    ...sealedFlags(inside, [inside]),
    inside,
    'inst_bench',
  ]
  const inside = sandbox.command({ id: 'inst_bench', program: PROGRAM, ownNetwork, nodeArguments })
  const times = await interleave(ROUNDS, {
    alone: () => readyMs(alone, {}),
    inside: () => readyMs(inside, ownNetwork ? { [OWN_NETWORK]: '1' } : {}),
  })
  // Compared within each round, because the speed of the machine varies between rounds.
  const pairs = times.inside!.map((took, round) => [took, times.alone![round]!] as const)
  const ratio = median(pairs.map(([took, alone]) => took / alone))
  const added = median(pairs.map(([took, alone]) => took - alone))
  return [
    { name: 'start of a process for handler modules, without a sandbox', value: ms(median(times.alone!)) },
    {
      name: 'start of a process for handler modules, in its sandbox',
      value: `${ms(median(times.inside!))}, ${added.toFixed(1)} ms more, ${ratio.toFixed(2)}×`,
      measured: ratio,
      limit: { at: 'most', value: 1.3, unit: '×' },
    },
  ]
}

async function readyMs([file, ...args]: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now()
  const child = spawn(file!, args, {
    cwd: '/',
    env: { ...processEnvironment(process.env), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const took = performance.now() - began
  child.disconnect()
  await once(child, 'exit')
  return took
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
