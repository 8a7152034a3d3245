import { exec } from 'node:child_process'
import { delimiter } from 'node:path'

/** Lint rules, types and unused code. They share no work, so they run at the same time. */
const CHECKS = [
  'biome check .',
  // Single-threaded, because parallel checkers repeat work and the tests need the processors.
  'tsc --singleThreaded --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo',
  'tsc --singleThreaded --incremental --tsBuildInfoFile node_modules/.cache/console-types.tsbuildinfo -p src/console',
  'tsc -p examples/conformance',
  'knip --cache',
]

/** Runs a command of node_modules. Prints its output when it fails. */
function passes(command: string): Promise<boolean> {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, PATH: `node_modules/.bin${delimiter}${process.env.PATH}`, ...color }
  return new Promise(resolve =>
    exec(command, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) console.error(`${command}\n${stdout}${stderr}`)
      resolve(!error)
    }),
  )
}

/** True when all checks pass. */
export async function check(): Promise<boolean> {
  const results = await Promise.all(CHECKS.map(passes))
  const failed = CHECKS.filter((_, index) => !results[index])
  console.log(failed.length === 0 ? 'Checks passed' : `Failed: ${failed.join(', ')}`)
  return failed.length === 0
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1
