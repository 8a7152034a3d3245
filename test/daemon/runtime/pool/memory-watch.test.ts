import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { heldBytes } from '../../../../src/daemon/runtime/pool/memory-watch.ts'
import { residentBytes } from '../../../../src/daemon/runtime/process/vital-signs.ts'

const MB = 1024 * 1024
/** Source of a program that holds the given number of bytes until its standard input is closed. */
const HOLD =
  "const held = Buffer.alloc(Number(process.argv[1]), 1); process.stdin.resume(); console.log('ready')"
const PARENT = `
const { spawn } = require('node:child_process')
let ready = 0
for (const bytes of process.argv.slice(2))
  spawn(process.execPath, ['-e', process.argv[1], bytes], { stdio: ['pipe', 'pipe', 'inherit'] }).stdout.once('data', () => {
    if (++ready === process.argv.length - 2) console.log('ready')
  })
process.stdin.resume()
process.stdin.on('end', () => process.exit())`

let parent: ChildProcess | undefined
afterEach(async () => {
  const ended = once(parent!, 'exit')
  parent!.stdin!.end()
  await ended
})

/** Starts a process with child programs of these sizes. Returns its process id. */
async function startParent(...megabytes: number[]): Promise<number> {
  const sizes = megabytes.map(count => String(count * MB))
  parent = spawn(process.execPath, ['-e', PARENT, HOLD, ...sizes], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(parent.stdout!, 'data')
  return parent.pid!
}

test('the memory limit does not apply to the sum of many small programs', async () => {
  const pid = await startParent(20, 20, 20, 20, 20, 20)
  expect(heldBytes(pid)).toBeLessThan(residentBytes(pid)! + 150 * MB)
})

test('one large program counts towards the memory limit', async () => {
  const pid = await startParent(20, 200, 20)
  expect(heldBytes(pid)).toBeGreaterThan(residentBytes(pid)! + 200 * MB)
})
