import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { moduleSandbox } from '../../../src/daemon/engine/module-sandbox.ts'
import { startProcess } from '../../../src/daemon/engine/process-engine.ts'
import { RawOutput } from '../../../src/daemon/engine/raw-output.ts'
import { endingOfNode, nodePid } from '../../../src/daemon/engine/wrapped-child.ts'
import { waitUntil } from '../../helpers/instance/runtime-harness.ts'
import { descendantsOf, isRunning, readProc } from '../../helpers/processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-wrapped-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!moduleSandbox().usable)('a process under bubblewrap', () => {
  test('nodePid returns the process id of a wrapped process on the host', async () => {
    const { child, pid } = await start('known', `setInterval(() => {}, 1000)`)
    expect(readProc(pid, 'cmdline')).toContain('known.mjs\0inst_known')
    await kill(child)
  })

  test('a wrapped process gets SIGTERM, and its exit code is reported', async () => {
    const { child } = await start(
      'polite',
      'setInterval(() => {}, 1000)',
      `process.on('SIGTERM', () => process.exit(7))`,
    )
    child.kill('SIGTERM')
    expect(await endingOf(child)).toEqual({ code: 7, signal: null })
  })

  test('SIGKILL kills a wrapped process with its wrapper and leaves no zombie', async () => {
    const { child, pid } = await start('stuck', `for (;;);`)
    const above = descendantsOf(child.pid!)
    await kill(child)
    expect([pid, ...above].filter(one => readProc(one, 'status') !== '')).toEqual([])
  })

  test('a wrapped process is reported as killed by its signal', async () => {
    const { child, pid } = await start('victim', `setInterval(() => {}, 1000)`)
    process.kill(pid, 'SIGKILL')
    expect(await endingOf(child)).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('a wrapped process with a full heap is reported as aborted', async () => {
    const { child } = await start('greedy', `const kept = []; for (;;) kept.push(new Array(10000).fill({}))`)
    const raw = new RawOutput(child, () => join(folder, 'greedy.log'))
    expect(await endingOf(child)).toEqual({ code: null, signal: 'SIGABRT' })
    expect(raw.tail).toContain('heap out of memory')
    expect(readFileSync(join(folder, 'greedy.log'), 'utf8')).toContain('heap out of memory')
  })

  test('a wrapped process exits when bubblewrap is killed', async () => {
    const { child, pid } = await start('orphan', `for (;;);`)
    process.kill(child.pid!, 'SIGKILL')
    await waitUntil(() => !isRunning(pid))
  })
})

test('an exit code above 128 counts as a signal only if that signal is fatal', () => {
  expect(endingOfNode(137, null)).toEqual({ code: null, signal: 'SIGKILL' })
  expect(endingOfNode(129, null)).toEqual({ code: 129, signal: null })
  expect(endingOfNode(1, null)).toEqual({ code: 1, signal: null })
  expect(endingOfNode(null, 'SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })
})

/** Runs `before`, reports that the process is running, and then runs the code. */
async function start(name: string, code: string, before = ''): Promise<{ child: ChildProcess; pid: number }> {
  const program = join(folder, `${name}.mjs`)
  writeFileSync(program, `${before}\nprocess.send('running', () => { ${code} })`)
  const logPath = join(folder, `${name}.log`)
  const { child, depth } = startProcess({
    program,
    kind: 'sealed',
    id: `inst_${name}`,
    logPath,
    memoryLimitMb: 64,
  })
  await once(child, 'message')
  return { child, pid: nodePid(child, depth!)! }
}

async function endingOf(child: ChildProcess): Promise<ReturnType<typeof endingOfNode>> {
  const [code, signal] = await once(child, 'close')
  return endingOfNode(code, signal)
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}
