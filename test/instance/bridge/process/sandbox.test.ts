import { type StdioOptions, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { CommandLine, RunnableProgram } from '../../../../src/instance/bridge/process/program-command.ts'
import { sandboxArguments, sandboxCommand } from '../../../../src/instance/bridge/process/sandbox.ts'
import { findBubblewrap } from '../../../../src/shared/sandbox/bubblewrap.ts'
import type { IsolationTools } from '../../../../src/shared/sandbox/isolation.ts'
import { findUserSwitch } from '../../../../src/shared/sandbox/sandbox-user.ts'
import { createTenant } from '../../../fixtures/instance/tenant.ts'

const home = mkdtempSync(join(tmpdir(), 'mcp-sandbox-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const folder = join(home, 'programs', 'shop')
const data = mkdtempSync(join(tmpdir(), 'mcp-data-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))
const outside = mkdtempSync(join(tmpdir(), 'mcp-outside-'))
afterAll(() => rmSync(outside, { recursive: true, force: true }))
mkdirSync(folder, { recursive: true })
mkdirSync(join(home, 'packages'))
writeFileSync(join(home, 'daemon.db'), 'of the daemon')
writeFileSync(join(outside, 'note.txt'), 'of the user')

const place = { folder, packages: join(home, 'packages'), hidden: [home], env: {} }
const tenant = createTenant('dep_shop', { serverName: 'shop', program: place })
const state = findBubblewrap(process.env.PATH!)

function program(sandbox: 'auto' | 'required' | 'off'): RunnableProgram {
  return { type: 'stdio', command: 'node', args: [], path: '/mcp', isolation: { sandbox } }
}

function shell(script: string, ...args: string[]): CommandLine {
  const env = { PATH: process.env.PATH!, HOME: folder }
  return { file: '/bin/sh', args: ['-c', script, 'sh', ...args], env, cwd: folder }
}

/** Runs a command line, with its system call filter if it has one. */
function start({ file, args, env, cwd, filter }: CommandLine, input = '') {
  const path = join(outside, 'filter')
  if (filter) writeFileSync(path, filter)
  const descriptor = filter && openSync(path, 'r')
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', 'ignore', descriptor ?? 'ignore']
  try {
    return spawnSync(file, args, { env, cwd, input, encoding: 'utf8', stdio })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Runs a command line. Returns its output. */
function run(line: CommandLine): string {
  const { stdout, stderr, status } = start(line)
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`)
  return stdout.trim()
}

test('without bubblewrap, a program runs unprotected with a warning, unless it requires the sandbox', () => {
  const why = 'bubblewrap is not installed here'
  expect(findBubblewrap('/nowhere')).toEqual({ usable: false, why })
  const bare: IsolationTools = { bubblewrap: { usable: false, why }, userSwitch: findUserSwitch('/nowhere') }
  const line = shell('echo hello')
  const off = 'runs without a sandbox, because isolation.sandbox is "off"'
  expect(sandboxCommand(line, program('off'), tenant)).toEqual({ ...line, gaps: [off], isContained: false })
  const missing = `runs without a sandbox, because ${why}`
  expect(sandboxCommand(line, program('auto'), tenant, bare)).toEqual({
    ...line,
    gaps: [missing],
    isContained: false,
  })
  expect(() => sandboxCommand(line, program('required'), tenant, bare)).toThrow(
    `its isolation.sandbox is "required", but ${why}; install bubblewrap (apt install bubblewrap) or set it to "auto"`,
  )
  expect(run(sandboxCommand(line, program('auto'), tenant))).toBe('hello')
})

test('a program can write only to its own folder and the folders that its command and variables name', () => {
  const script = `
    touch "$HOME/kept" && echo own
    touch "$1/changed" && echo named
    touch "$DATA/changed" && echo variable
    touch /etc/mcp-sandbox-test 2>/dev/null || echo etc
    cat ${join(home, 'daemon.db')} 2>/dev/null || echo daemon
    ls ${home} | tr '\\n' ' '
    cat /proc/${process.pid}/environ 2>/dev/null || echo processes
    [ -e /run/docker.sock ] || echo sockets`
  const line = sandboxCommand(shell(script, outside), program('auto'), { ...tenant, env: { DATA: data } })
  line.env.DATA = data
  const printed = state.usable ? run(line).split('\n') : SANDBOXED
  expect(printed).toEqual(SANDBOXED)
})

const SANDBOXED = ['own', 'named', 'variable', 'etc', 'daemon', 'packages programs processes', 'sockets']

test('kernel settings are read-only, even for root', () => {
  const script = 'find /proc/sys /sys -type f -writable 2>/dev/null | wc -l'
  const written = state.usable ? run(sandboxCommand(shell(script), program('auto'), tenant)) : '0'
  expect(written).toBe('0')
})

test.runIf(state.usable && state.canSizeMemory)('in-memory folders have a size limit', () => {
  const script = `
    for folder in /tmp /dev/shm /run; do
      head -c 40000000 /dev/zero 2>/dev/null >$folder/large && echo "filled $folder"
      rm -f $folder/large
      head -c 1000000 /dev/zero 2>/dev/null >$folder/small || echo "refused $folder"
    done
    touch /dev/file 2>/dev/null || echo read-only
    echo gone >/dev/null && head -c 4 /dev/zero | wc -c`
  const limited = { ...shell(script), limits: { memoryMb: 32, pids: 512 } }
  const printed = run(sandboxCommand(limited, program('auto'), tenant)).split('\n')
  expect(printed.filter(line => line !== 'refused /run')).toEqual(['read-only', '4']) // only root can write to /run
})

test('a file that the command names is readable, even below /tmp', () => {
  const line = sandboxCommand(shell('cat "$1"', join(outside, 'note.txt')), program('auto'), tenant)
  expect(run(line)).toBe('of the user')
})

test('input, output and exit code pass through the sandbox', () => {
  const ended = start(sandboxCommand(shell('cat; echo oh >&2; exit 7'), program('auto'), tenant), 'echo')
  expect([ended.stdout, ended.stderr, ended.status]).toEqual(['echo', 'oh\n', 7])
})

test("the daemon's folders are hidden, even inside visible folders", () => {
  const args = sandboxArguments(shell(''), { place, named: [outside, home] })
  const at = (...words: string[]) => args.join(' ').indexOf(words.join(' '))
  expect(at('--bind', home, home)).toBeGreaterThan(0)
  expect(at('--bind', outside, outside)).toBeGreaterThan(0)
  expect(at('--tmpfs', home)).toBeGreaterThan(at('--bind', home, home))
  expect(at('--bind', folder, folder)).toBeGreaterThan(at('--tmpfs', home))
  expect(readFileSync(join(home, 'daemon.db'), 'utf8')).toBe('of the daemon')
})
