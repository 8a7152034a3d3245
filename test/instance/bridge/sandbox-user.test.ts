import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandLine, RunnableProgram } from '../../../src/instance/bridge/process/program-command.ts'
import { changeOwner, sandboxCommand } from '../../../src/instance/bridge/process/sandbox.ts'
import { findIsolationTools } from '../../../src/shared/sandbox/isolation.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'

type User = 'auto' | 'own' | 'root'

const tools = findIsolationTools(process.env.PATH!)
/** Limit on repeated runs. Mounts disappear only occasionally, and a permanent error must not block the worker. */
const MAX_ATTEMPTS = 20

describe.runIf(tools.userSwitch.usable && tools.bubblewrap.usable)('under a daemon that runs as root', () => {
  let top: string
  /** The daemon's home, private as usual. */
  let home: string
  /** A folder that everyone can read. */
  let open: string
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'mcp-users-'))
    chmodSync(top, 0o755)
    home = join(top, 'home')
    open = join(top, 'open')
    mkdirSync(join(home, 'packages'), { recursive: true })
    mkdirSync(join(home, 'programs', 'shop'), { recursive: true })
    chmodSync(home, 0o700)
    mkdirSync(open)
    writeFileSync(join(open, 'note.txt'), 'open')
  })
  afterAll(() => rmSync(top, { recursive: true, force: true }))

  test('a program runs as its own unprivileged user, which owns its folder', () => {
    const line = lineFor(
      'id -u; touch "$HOME/kept"; echo >/tmp/x && cat "$1"; cat /etc/shadow 2>&1 | grep -o denied',
      [join(open, 'note.txt')],
    )
    const uid = statSync(join(home, 'programs', 'shop')).uid
    expect(uid).not.toBe(0)
    expect(line.gaps).toEqual([])
    expect(run(line)).toBe(`${uid}\nopendenied`)
    expect(statSync(join(home, 'programs', 'shop', 'kept')).uid).toBe(uid)
  })

  test('when a folder is swapped for a link while its owner is being changed, the target of the link keeps its owner', async () => {
    const [folder, victim] = [join(top, 'swapped'), join(top, 'victim')]
    for (const path of [victim, join(folder, 'a')]) {
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, 'file'), '')
    }
    const swap = `
      const { renameSync, symlinkSync } = require('node:fs')
      const [a, b, link] = ['a', 'b', 'link'].map(name => process.argv[1] + '/' + name)
      symlinkSync(process.argv[2], link)
      process.stdout.write('ready')
      for (;;) for (const [from, to] of [[a, b], [link, a], [a, link], [b, a]]) renameSync(from, to)`
    const program = spawn(process.execPath, ['-e', swap, folder, victim])
    await once(program.stdout, 'data')
    for (const end = Date.now() + 2000; Date.now() < end; )
      try {
        changeOwner(folder, 1_900_000_001, 1_900_000_001)
      } catch {
        // renamed in between
      }
    program.kill('SIGKILL')
    await once(program, 'exit')
    expect([victim, join(victim, 'file')].map(path => statSync(path).uid)).toEqual([0, 0])
  })

  test('open folders inside a closed folder are visible', () => {
    const closed = join(top, 'closed')
    mkdirSync(join(closed, 'app'), { recursive: true })
    writeFileSync(join(closed, 'app', 'main.txt'), 'main')
    writeFileSync(join(closed, 'app', 'next.txt'), 'next')
    writeFileSync(join(closed, 'secret.txt'), 'secret')
    chmodSync(closed, 0o700)
    const script = `cat "$1"; cat ${closed}/app/next.txt; ls ${closed}; id -u`
    const line = lineFor(script, [join(closed, 'app', 'main.txt')])
    expect(line.gaps).toEqual([])
    expect(run(line)).toMatch(/^mainnextapp\n19\d+$/)
  })

  test('a program runs as the owner of the folder that its command names, and can write to it', () => {
    const data = folderOf(12_345)
    const line = lineFor('id -u; touch "$1/changed" && echo written', [data])
    expect(run(line)).toBe('12345\nwritten')
    expect(statSync(join(data, 'changed')).uid).toBe(12_345)
  })

  test('a program runs as root, and the reason is reported, when only root can access what its command names', () => {
    const data = folderOf(0)
    const line = lineFor(
      'id -u; touch "$1/changed" && echo written; find /proc -maxdepth 2 -writable -type f | wc -l',
      [data],
    )
    expect(line.gaps).toEqual([`runs as root, because only root can write ${data}`])
    expect(run(line)).toBe('0\nwritten\n0')
    expect(() => lineFor('', [data], 'own')).toThrow(
      `its isolation.user is "own", but only root can write ${data}; change the owner or mode, or set isolation.user to "root"`,
    )
    const secret = join(open, 'secret.txt')
    writeFileSync(secret, 'secret', { mode: 0o600 })
    expect(lineFor('', [secret]).gaps).toEqual([
      `runs as root, because its unprivileged user cannot read ${secret}`,
    ])
  })

  test('a program runs as root when configured, and can still write to its own folder', () => {
    expect(run(lineFor('id -u'))).toMatch(/^19\d+$/)
    const line = lineFor('id -u; touch "$HOME/kept" && echo written', [], 'root')
    expect(line.gaps).toEqual(['runs as root, because isolation.user is "root"'])
    expect(run(line)).toBe('0\nwritten')
  })

  function folderOf(uid: number): string {
    const folder = mkdtempSync(join(top, 'data-'))
    chownSync(folder, uid, uid)
    return folder
  }

  function lineFor(script: string, args: string[] = [], user: User = 'auto'): CommandLine {
    const folder = join(home, 'programs', 'shop')
    const env = { PATH: process.env.PATH!, HOME: folder }
    const place = { folder, packages: join(home, 'packages'), hidden: [home], env: {} }
    const isolation = { sandbox: 'auto' as const, user }
    const program: RunnableProgram = { type: 'stdio', command: 'sh', args: [], path: '/mcp', isolation }
    const line = { file: '/bin/sh', args: ['-c', script, 'sh', ...args], env, cwd: folder }
    return sandboxCommand(line, program, createTenant('dep_shop', { serverName: 'shop', program: place }))
  }

  /** Repeats a run that failed because another test removed the mount of a container while bubblewrap was starting. */
  function run(line: CommandLine): string {
    for (let attempt = 1; ; attempt++) {
      const { stdout, stderr, status } = runOnce(line)
      if (status === 0) return stdout.trim()
      if (attempt === MAX_ATTEMPTS || !/^bwrap: Can't bind mount .*No such file/.test(stderr))
        throw new Error(`exit code ${status}: ${stderr}`)
    }
  }

  function runOnce({ file, args, env, cwd, filter }: CommandLine) {
    writeFileSync(join(open, 'filter'), filter!)
    const descriptor = openSync(join(open, 'filter'), 'r')
    const stdio = ['ignore' as const, 'pipe' as const, 'pipe' as const, 'ignore' as const, descriptor]
    try {
      return spawnSync(file, args, { env, cwd, encoding: 'utf8', stdio })
    } finally {
      closeSync(descriptor)
    }
  }
})
