import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { updateDist } from './build.ts'
import { check } from './check.ts'

// The programs that the tests start. Some checks read the types of the SDK in `dist/`.
await updateDist()

/** Runs the checks at the same time as the tests, which mostly wait. `node scripts/test.ts [options of vitest run]` */
const vitest = spawn('node_modules/.bin/vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit' })
const [[code], passed] = await Promise.all([once(vitest, 'exit'), check()])
if (!passed) console.error('The checks failed. Their output is above.')
process.exitCode = code === 0 && passed ? 0 : 1
