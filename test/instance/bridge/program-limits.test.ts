import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ProcessGuard } from '../../../src/instance/bridge/process/process-guard.ts'
import { processesWith } from '../../../src/instance/bridge/process/process-tree.ts'
import {
  describeProgramEnding,
  ProgramProcess,
} from '../../../src/instance/bridge/process/program-process.ts'
import { sandboxCommand } from '../../../src/instance/bridge/process/sandbox.ts'
import type { ProgramLimits } from '../../../src/shared/instances/instance-protocol.ts'
import { ownControlGroups } from '../../../src/shared/sandbox/control-groups.ts'
import { findIsolationTools } from '../../../src/shared/sandbox/isolation.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { programFolders } from '../../helpers/instance/programs.ts'

const guards: ProcessGuard[] = []
const folders: string[] = []
afterEach(() => {
  for (const guard of guards.splice(0)) guard.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

type Sandbox = 'auto' | 'off'

const hasSandbox = findIsolationTools(process.env.PATH!).bubblewrap.usable
const SANDBOXES: Sandbox[] = hasSandbox ? ['auto', 'off'] : ['off']

function start(
  script: string,
  { sandbox, limits }: { sandbox: Sandbox; limits?: ProgramLimits },
): ProgramProcess {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-limits-'))
  folders.push(folder)
  const guard = new ProcessGuard()
  guards.push(guard)
  const env = { PATH: process.env.PATH!, HOME: folder }
  const line = { file: '/bin/sh', args: ['-c', script], env, cwd: folder, ...(limits && { limits }) }
  const tenant = createTenant('dep_shop', { program: programFolders(folder) })
  const isolation = { sandbox }
  const program = { type: 'stdio' as const, command: 'sh', args: [], path: '/mcp', isolation }
  return new ProgramProcess(sandboxCommand(line, program, tenant), { guard, onStderr: () => {} })
}

async function output(program: ProgramProcess): Promise<string> {
  let text = ''
  program.stdout.on('data', chunk => {
    text += chunk
  })
  await program.ended
  return text.trim()
}

for (const sandbox of SANDBOXES) {
  test(`kills a program that uses too much memory and reports it (sandbox ${sandbox})`, async () => {
    const hog = `exec '${process.execPath}' -e 'const all = []; setInterval(() => all.push(Buffer.alloc(4e6, 1)), 1)'`
    const program = start(hog, { sandbox, limits: { memoryMb: 150, pids: 200 } })
    const how = describeProgramEnding(await program.ended)
    expect(how).toMatch(/^was killed: out of memory \(it used \d+ MB, limit 150 MB\)$/)
  })

  test(`stops a fork bomb and all its processes (sandbox ${sandbox})`, async () => {
    const marker = unique('1')
    // At most 1,500 processes, each for a minute.
    const bomb = `i=0; while [ $i -lt 1500 ]; do ${marker} & i=$((i+1)); done; wait`
    const program = start(bomb, { sandbox, limits: { memoryMb: 4096, pids: 100 } })
    const { how, code, signal } = await program.ended
    expect(how ?? `${signal ?? code}`).toMatch(/too many processes|^\d+$|SIGKILL/)
    await eventually(() => running(marker) === 0)
  })

  test(`stopping a program also kills its processes in other sessions (sandbox ${sandbox})`, async () => {
    const marker = unique('2')
    const program = start(`setsid sh -c '(${marker} &)'; (setsid ${marker} &); cat`, { sandbox })
    await eventually(() => running(marker) === 2)
    await program.stop()
    await eventually(() => running(marker) === 0)
  })
}

test('counts orphaned processes in other sessions (sandbox off)', async () => {
  const marker = unique('3')
  const orphans = `i=0; while [ $i -lt 30 ]; do setsid sh -c '${marker} &'; i=$((i+1)); done; cat`
  // If the kernel limits processes, the program gets an error instead of being killed, and the test stops it later.
  const isLimitedByKernel = ownControlGroups()?.parents.has('pids') === true
  const program = start(orphans, { sandbox: 'off', limits: { memoryMb: 4096, pids: 20 } })
  const timer = isLimitedByKernel && setTimeout(() => void program.stop(), 8000)
  const ending = describeProgramEnding(await program.ended)
  if (timer) clearTimeout(timer)
  expect(ending).toMatch(
    isLimitedByKernel
      ? /^(was killed by SIGKILL|exited with code \d+|was stopped)/
      : /^was killed: too many processes \(it had \d+ including threads, limit 20\)$/,
  )
  await eventually(() => running(marker) === 0)
})

test('counts the memory of an orphaned process in another session (sandbox off)', async () => {
  const code = 'const all = Buffer.alloc(15e7, 1); setTimeout(() => all, 60000)'
  const hog = `setsid sh -c "'${process.execPath}' -e '${code}' &"; cat`
  const program = start(hog, { sandbox: 'off', limits: { memoryMb: 100, pids: 200 } })
  expect(describeProgramEnding(await program.ended)).toMatch(
    /^was killed: out of memory \(it used \d+ MB, limit 100 MB\)$/,
  )
})

test.runIf(hasSandbox)('a sandboxed program cannot create a Unix socket', async () => {
  const script = `python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>&1 | tail -1`
  expect(await output(start(script, { sandbox: 'auto' }))).toContain('Address family not supported')
})

/** Command that sleeps for a minute and that no other test uses. */
function unique(digit: string): string {
  return `sleep 60.${digit}${process.pid}${folders.length}${Date.now()}`
}

/** Number of processes with this command line. */
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
