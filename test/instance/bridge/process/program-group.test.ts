import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ProcessGuard } from '../../../../src/instance/bridge/process/process-guard.ts'
import { processesWith } from '../../../../src/instance/bridge/process/process-tree.ts'
import { ProgramProcess } from '../../../../src/instance/bridge/process/program-process.ts'
import type { ProgramLimits } from '../../../../src/shared/instances/instance-protocol.ts'
import { ownControlGroups, PROGRAM_GROUP } from '../../../../src/shared/sandbox/control-groups.ts'
import { eventually } from '../../../helpers/daemon/mcp.ts'
import {
  FIXTURE,
  programFolders,
  type ServedProgram,
  serveProgram,
} from '../../../helpers/instance/programs.ts'

const groups = ownControlGroups()
// False without a usable control group. Version 1 needs root, and version 2 needs a delegated group.
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

test.runIf(hasProcessor)('a program with limits.cpus 0.25 gets less than half a processor', async () => {
  // Two busy processes, because the limit applies to the whole tree.
  const busy = `'${process.execPath}' -e 'const end = Date.now() + 2000; while (Date.now() < end);\n console.log(process.cpuUsage().user + process.cpuUsage().system)'`
  const used = await output(start(`${busy} & ${busy} & wait`, { ...LIMITS, cpus: 0.25 }))
  const seconds = used.split('\n').map(text => Number(text) / 1e6)
  expect(seconds).toHaveLength(2)
  expect((seconds[0]! + seconds[1]!) / 2).toBeLessThan(0.5)
})

// A hundredth of a processor is less than the program would get even on a busy machine.
test.runIf(hasProcessor)('the kernel throttles a program that uses up its limits.cpus', async () => {
  const program = start('while :; do :; done', { ...LIMITS, cpus: 0.01 })
  const group = guards[0]!.nextGroup().replace(/\d+$/, '1')
  const stat = join(groups!.parents.get('cpu')!, group, 'cpu.stat')
  const held = () => Number(/^nr_throttled (\d+)/m.exec(readFileSync(stat, 'utf8'))?.[1])
  await eventually(() => held() >= 3)
  await program.stop()
})

test.runIf(hasProcesses)('a program cannot have more processes than limits.pids', async () => {
  const script = `
    const results = Array.from({ length: 60 }, () => {
      const child = require('node:child_process').spawn('sleep', ['60'])
      return new Promise(resolve => child.once('spawn', () => resolve(1)).once('error', () => resolve(0)))
    })
    Promise.all(results).then(started => {
      console.log(started.reduce((sum, one) => sum + one))
      process.exit()
    })`
  const command = `exec '${process.execPath}' -e "${script}"`
  const started = await output(start(command, { ...LIMITS, pids: 30 }))
  expect(started).toMatch(/^[12]?\d$/) // less than 30
  expect(remainingGroups()).toEqual([])
})

test.runIf(groups)('a child in another session without the marker is killed with its program', async () => {
  const command = unique()
  const program = start(`(env -i setsid ${command} &); cat`, LIMITS)
  await eventually(() => running(command) === 1)
  expect(remainingGroups()).toHaveLength(parents.length)
  await program.stop()
  expect(running(command)).toBe(0)
  expect(remainingGroups()).toEqual([])
})

test.runIf(groups)('a killed bridge leaves no control group and no process', async () => {
  const command = unique()
  const folder = mkdtempSync(join(tmpdir(), 'mcp-group-'))
  folders.push(folder)
  const script = `(env -i setsid ${command} &); exec '${process.execPath}' '${FIXTURE}'`
  served = await serveProgram(
    { command: 'sh', args: ['-c', script] },
    { program: { ...programFolders(folder), limits: LIMITS } },
  )
  const { pid, child } = served.harness
  await eventually(() => running(command) === 1)
  expect(groupsLeft(groupPrefixOf(pid))).toHaveLength(parents.length)
  process.kill(pid, 'SIGKILL')
  await once(child, 'exit')
  await eventually(() => running(command) === 0 && groupsLeft(groupPrefixOf(pid)).length === 0)
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
    return '' // it has exited
  }
}

/** Prefix of the names of a bridge's control groups. */
function groupPrefixOf(bridge: number): string {
  return `${PROGRAM_GROUP}${bridge}-`
}

function groupsLeft(prefix: string): string[] {
  return parents.flatMap(parent => readdirSync(parent).filter(name => name.startsWith(prefix)))
}

/** Control groups that the programs of this test have left behind. */
function remainingGroups(): string[] {
  return guards.flatMap(guard => groupsLeft(guard.nextGroup().replace(/\d+$/, '')))
}
