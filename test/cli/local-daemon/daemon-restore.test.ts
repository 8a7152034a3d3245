import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type StubEngine, workingEngine } from '../../helpers/containers/stub-engine.ts'
import { type CommandResult, createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let engine: StubEngine
beforeAll(() => {
  engine = workingEngine()
})
afterAll(() => engine[Symbol.dispose]())

let home: TestHome

interface Backup {
  file: string
}

async function build(name: string): Promise<void> {
  const tools = [
    {
      name: 'tell',
      description: 'Returns its name',
      inputSchema: {},
      handler: { type: 'template', text: name },
    },
  ]
  const project = { name, template: 'basic', tools }
  writeFileSync(join(home.dir, 'mcp.config.json'), JSON.stringify(project))
  await home.json(['build', home.dir])
}

async function builds(): Promise<string[]> {
  const { builds } = await home.json<{ builds: { name: string }[] }>(['list'])
  return builds.map(({ name }) => name).sort()
}

/** Overwrites two pages in the middle of the file, as a broken disk might. */
function damage(file: string): void {
  const descriptor = openSync(file, 'r+')
  const middle = Math.floor(statSync(file).size / 2 / 4096) * 4096
  writeSync(descriptor, Buffer.alloc(8192, 0xff), 0, 8192, middle)
  closeSync(descriptor)
}

function doctor(...flags: string[]): Promise<CommandResult> {
  return home.mcp(['doctor', ...flags], { env: { ...home.env, MCP_CONTAINER_ENGINE: engine.file } })
}

async function databaseCheck(): Promise<{ status: string; message: string; fix?: { command?: string } }> {
  const { stdout } = await doctor('--json')
  return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'database')
}

describe('while a daemon runs', () => {
  beforeAll(() => {
    home = createHome()
  })
  afterAll(() => home.remove())

  test('restore changes nothing without confirmation or for an invalid backup', async () => {
    await build('before')
    const { file: older } = await home.json<Backup>(['daemon', 'backup'])
    const { file } = await home.json<Backup>(['daemon', 'backup'])
    const unasked = await home.mcp(['daemon', 'restore'])
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('--yes')
    damage(file)
    const refused = await home.mcp(['daemon', 'restore', '--yes', '--json'])
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stderr).error.message).toContain(`${file} cannot be restored: `)
    const listed = await home.json<{ file: string }[]>(['daemon', 'backup', '--list'])
    expect(listed.map(one => one.file)).toEqual([file, older])
    expect((await home.mcp(['daemon', 'backup', '--verify'])).code).toBe(1)
    expect((await home.mcp(['daemon', 'backup', '--verify', older])).code).toBe(0)
    writeFileSync(join(home.dir, 'notes.txt'), 'no backup')
    const { code } = await home.mcp(['daemon', 'restore', join(home.dir, 'notes.txt'), '--yes'])
    expect(code).toBe(2)
    expect((await home.mcp(['daemon', 'restore', 'nowhere.db', '--yes'])).code).toBe(4)
    expect(await builds()).toEqual(['before'])
    rmSync(file)
  })

  test('a failed restore restarts the daemon that it stopped', async () => {
    const failing = join(home.dir, 'failing.cjs')
    writeFileSync(failing, "if (process.argv[2] === 'restore') throw new Error('the disk is gone')")
    const env = { ...home.env, NODE_OPTIONS: `--require ${failing}` }
    const { code, stderr } = await home.mcp(['daemon', 'restore', '--yes'], { env })
    expect(code).toBe(7)
    expect(stderr).toContain('the disk is gone')
    expect((await home.mcp(['daemon', 'status'])).code).toBe(0)
    expect(await builds()).toEqual(['before'])
  })

  test('restore replaces the database of a running daemon and starts a new daemon', async () => {
    const copy = join(home.dir, 'copy.db')
    await home.json(['daemon', 'backup', copy])
    const { pid } = home.discovery()!
    await build('after')
    expect(await builds()).toEqual(['after', 'before'])
    expect((await home.mcp(['daemon', 'restore', copy, '--yes'])).stderr).toContain(
      `restore ${copy} --partial`,
    )
    const { url } = await home.json<{ url: string }>(['daemon', 'restore', copy, '--partial', '--yes'])
    expect(home.discovery()).toMatchObject({ url })
    expect(home.discovery()!.pid).not.toBe(pid)
    expect(await builds()).toEqual(['before'])
    // The new daemon may be writing a file.
    await expect.poll(() => readdirSync(home.dir).filter(name => name.endsWith('.tmp'))).toEqual([])
  })
})

describe('while the daemon is stopped', () => {
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('doctor reports a damaged database, and restore replaces the database and keeps the old one', async () => {
    await build('before')
    const { file } = await home.json<Backup>(['daemon', 'backup'])
    await build('after')
    expect((await databaseCheck()).status).toBe('pass')
    await home.json(['daemon', 'stop'])
    damage(join(home.dir, 'daemon.db'))
    expect(readdirSync(home.dir).filter(name => name.startsWith('daemon.db'))).toEqual(['daemon.db'])
    expect(await databaseCheck()).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('is damaged: '),
      fix: { command: 'mcp daemon restore' },
    })
    const restored = await home.json<{ restored: string; kept: string }>(['daemon', 'restore', '--yes'])
    expect(restored.restored).toBe(file)
    expect(existsSync(restored.kept)).toBe(true)
    expect(await builds()).toEqual(['before'])
    expect(await databaseCheck()).toMatchObject({ status: 'pass' })
  })

  test('commands fail with instructions when the database is empty, and restore recovers the servers', async () => {
    await build('before')
    await home.json(['daemon', 'backup'])
    await home.json(['daemon', 'stop'])
    writeFileSync(join(home.dir, 'daemon.db'), '')
    const refused = await home.mcp(['list'])
    expect(refused.code).toBe(7)
    expect(refused.stderr).toMatch(/is empty \(0 bytes\).*1 artifact.*1 backup.*key file/)
    expect(refused.stderr).toContain('mcp daemon restore')
    expect(refused.stderr).toContain('mcp daemon start --new-database')
    expect(await databaseCheck()).toMatchObject({ status: 'fail', fix: { command: 'mcp daemon restore' } })
    await home.json(['daemon', 'restore', '--yes'])
    expect(await builds()).toEqual(['before'])
  })

  test('doctor reports a lost key, unknown files and the age of the last backup', async () => {
    await build('before')
    await home.json(['daemon', 'backup'])
    await home.json(['daemon', 'stop'])
    writeFileSync(join(home.dir, 'artifacts', `${'a'.repeat(64)}.json`), '{}')
    await home.json(['daemon', 'start'])
    await home.json(['daemon', 'stop'])
    renameSync(join(home.dir, 'secret.key'), join(home.dir, 'away'))
    const refused = await home.mcp(['list'])
    expect(refused.code).toBe(7)
    expect(refused.stderr).toContain('secret.key of the database is missing')
    const { code, stdout } = await doctor()
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}secret key .*is missing/)
    expect(stdout).toMatch(/ok {4}files .*unknown files: 1 \(artifacts: 1; 2 B\), kept for 7 days/)
    expect(stdout).toMatch(/ok {4}backups .*the last backup is daemon-.*, made .* ago/)
    renameSync(join(home.dir, 'away'), join(home.dir, 'secret.key'))
    expect(await builds()).toEqual(['before'])
  })
})
