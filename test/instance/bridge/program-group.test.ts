import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ProcessGuard } from '../../../src/instance/bridge/process-guard.ts'
import { processesWith } from '../../../src/instance/bridge/process-tree.ts'
import { ProgramProcess } from '../../../src/instance/bridge/program-process.ts'
import { ownControlGroups, PROGRAM_GROUP } from '../../../src/shared/control-groups.ts'
import type { ProgramLimits } from '../../../src/shared/instance-protocol.ts'
import { eventually } from '../../helpers/mcp.ts'
import { FIXTURE, programPlace, type ServedProgram, serveProgram } from '../../helpers/programs.ts'

const groups = ownControlGroups()
// Elsewhere there is no control group to test with: version 1 needs root, version 2 needs a delegated group.
const hasProcessor = groups?.parents.has('cpu') === true
const hasProcesses = groups?.parents.has('pids') === true
const parents = [...new Set(groups?.parents.values())]

const LIMITS: ProgramLimits = { memoryMb: 512, pids: 200 }
const guards: ProcessGuard[] = []
const folders: string[] = []
let served: ServedProgram | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
  for (const guard of guards.splice(0)) guard.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function start(script: string, limits: ProgramLimits): ProgramProcess {
  const cwd = mkdtempSync(join(tmpdir(), 'mcp-group-'))
  folders.push(cwd)
  const guard = createGuard()
  const line = { file: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH! }, cwd, limits }
  return new ProgramProcess({ ...line, isContained: false }, { guard, onStderr: () => {} })
}

function createGuard(): ProcessGuard {
  const guard = new ProcessGuard()
  guards.push(guard)
  return guard
}

async function output(program: ProgramProcess): Promise<string> {
  let text = ''
  program.stdout.on('data', chunk => {
    text += chunk
  })
  await program.ended
  return text.trim()
}

test.runIf(hasProcessor)('a program with limits.cpus 0.25 gets about a quarter of a processor', async () => {
  // Two busy processes: the limit is that of the tree.
  const busy = `'${process.execPath}' -e 'const end = Date.now() + 2000; while (Date.now() < end);\n console.log(process.cpuUsage().user + process.cpuUsage().system)'`
  const used = await output(start(`${busy} & ${busy} & wait`, { ...LIMITS, cpus: 0.25 }))
  const seconds = used.split('\n').map(text => Number(text) / 1e6)
  expect(seconds).toHaveLength(2)
  expect((seconds[0]! + seconds[1]!) / 2).toBeLessThan(0.5)
})

test.runIf(hasProcesses)('a program cannot have more processes than limits.pids', async () => {
  const script = `i=0; while [ $i -lt 60 ]; do sleep 30 & i=$((i+1)); done 2>/dev/null; echo started`
  expect(await output(start(script, { ...LIMITS, pids: 20 }))).toBe('')
  expect(left()).toEqual([])
})

test.runIf(groups)('a child in another session and without the marker ends with its program', async () => {
  const command = unique()
  const program = start(`(env -i setsid ${command} &); sleep 0.2; echo up; cat`, LIMITS)
  await new Promise(resolve => program.stdout.once('data', resolve))
  expect(running(command)).toBe(1)
  expect(left()).toHaveLength(parents.length)
  await program.stop()
  expect(running(command)).toBe(0)
  expect(left()).toEqual([])
})

test.runIf(groups)('a bridge that is killed leaves no group and nothing that runs in it', async () => {
  const command = unique()
  const folder = mkdtempSync(join(tmpdir(), 'mcp-group-'))
  folders.push(folder)
  const script = `(env -i setsid ${command} &); exec '${process.execPath}' '${FIXTURE}'`
  served = await serveProgram(
    { command: 'sh', args: ['-c', script] },
    { program: { ...programPlace(folder), limits: LIMITS } },
  )
  const { pid, child } = served.harness
  expect([running(command), groupsLeft(groupsOf(pid)).length]).toEqual([1, parents.length])
  process.kill(pid, 'SIGKILL')
  await once(child, 'exit')
  await eventually(() => running(command) === 0 && groupsLeft(groupsOf(pid)).length === 0)
})

function unique(): string {
  return `sleep 60.${process.pid}${folders.length}${Date.now()}`
}

function running(command: string): number {
  return processesWith('').filter(pid => commandLine(pid) === command).length
}

function commandLine(pid: number): string {
  try {
    return readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8')
      .replaceAll('\0', ' ')
      .trim()
  } catch {
    return '' // it has ended
  }
}

/** Prefix of the groups of a bridge. */
function groupsOf(bridge: number): string {
  return `${PROGRAM_GROUP}${bridge}-`
}

function groupsLeft(prefix: string): string[] {
  return parents.flatMap(parent => readdirSync(parent).filter(name => name.startsWith(prefix)))
}

/** Groups of the programs of this test. */
function left(): string[] {
  return guards.flatMap(guard => groupsLeft(guard.nextGroup().replace(/\d+$/, '')))
}
