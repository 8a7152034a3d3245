import { spawn } from 'node:child_process'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

/** Copy that starts with the element at `by` and wraps around. */
export function rotate<T>(values: readonly T[], by: number): T[] {
  const at = by % values.length
  return [...values.slice(at), ...values.slice(0, at)]
}

/** Milliseconds that `work` took. */
export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs each candidate once per round, so that a slow phase of the machine affects all of them. */
export async function interleave<T = number>(
  rounds: number,
  candidates: Record<string, () => Promise<T>>,
): Promise<Record<string, T[]>> {
  const values: Record<string, T[]> = Object.fromEntries(Object.keys(candidates).map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(candidates)) values[name]!.push(await measure())
  }
  return values
}

// A certificate bundle costs Node up to 50 ms per start (docs/reports/performance.md).
const { NODE_EXTRA_CA_CERTS: _, ...plain } = process.env
/** The environment of this process without variables that only slow child processes down. */
export const PLAIN_ENV: NodeJS.ProcessEnv = plain

/** Runs a Node program. Throws when it fails. */
export async function runNode(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${errors || output}`)
  return output
}
