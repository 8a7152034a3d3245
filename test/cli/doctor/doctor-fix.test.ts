import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { workingEngine } from '../../helpers/containers/stub-engine.ts'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { isRunning } from '../../helpers/processes.ts'

let home: TestHome
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

interface Fixed {
  fixed?: { name: string; message: string }[]
}

async function doctor(...flags: string[]): Promise<Fixed> {
  using engine = workingEngine()
  const env = { ...home.env, MCP_CONTAINER_ENGINE: engine.file }
  const { stdout } = await home.mcp(['doctor', '--json', ...flags], { env })
  return JSON.parse(stdout)
}

/** Damages the home in typical ways. Returns the damaged files. */
function createDamage() {
  const files = {
    config: join(home.dir, 'config.json'),
    credentials: join(home.dir, 'credentials.json'),
    secret: join(home.dir, 'secret.key'),
    discovery: join(home.dir, 'daemon.json'),
    unfinished: join(home.dir, 'artifacts', 'abc.json.0123456789ab.tmp'),
    folder: join(home.dir, 'program-sources', 'abc.0123456789ab.tmp'),
  }
  mkdirSync(join(home.dir, 'artifacts'), { mode: 0o700 })
  mkdirSync(join(files.folder, 'src'), { recursive: true, mode: 0o700 })
  utimesSync(files.folder, 1, 1)
  mkdirSync(join(home.dir, 'logs'))
  chmodSync(join(home.dir, 'logs'), 0o755)
  writeFileSync(files.config, '{"contexts": {')
  writeFileSync(files.credentials, '{"contexts": ', { mode: 0o600 })
  writeFileSync(files.secret, 'a key')
  chmodSync(files.secret, 0o644)
  writeFileSync(files.discovery, '{"url":"http://127.0.0.1:1","pid":1,"nonce":"00112233"}', { mode: 0o600 })
  writeFileSync(files.unfinished, '{')
  utimesSync(files.unfinished, 1, 1)
  return files
}

test('doctor changes nothing without --fix', async () => {
  const files = createDamage()
  expect(await doctor()).not.toHaveProperty('fixed')
  for (const file of Object.values(files)) expect(existsSync(file)).toBe(true)
  expect(statSync(files.secret).mode & 0o777).toBe(0o644)
})

test('doctor --fix removes leftovers of a crash, moves damaged files aside, corrects permissions and lists each repair', async () => {
  const files = createDamage()
  const { fixed } = await doctor('--fix')
  expect(fixed!.map(({ name }) => name).sort()).toEqual([
    'config',
    'credentials',
    'daemon',
    'leftovers',
    'leftovers',
    'permissions',
    'permissions',
  ])
  expect(statSync(files.secret).mode & 0o777).toBe(0o600)
  expect(readFileSync(files.secret, 'utf8')).toBe('a key')
  expect(statSync(join(home.dir, 'logs')).mode & 0o777).toBe(0o700)
  for (const gone of [files.config, files.credentials, files.discovery, files.unfinished, files.folder])
    expect(existsSync(gone)).toBe(false)
  const kept = readdirSync(home.dir).find(name => name.startsWith('config.json.damaged-'))
  expect(readFileSync(join(home.dir, kept!), 'utf8')).toBe('{"contexts": {')
  expect((await doctor('--fix')).fixed).toEqual([])
})

/** Starts a daemon and makes it hang. Returns its process id. */
async function hungDaemon(): Promise<number> {
  const { pid } = await home.json<{ pid: number }>(['daemon', 'start'])
  process.kill(pid, 'SIGSTOP')
  const discovery = join(home.dir, 'daemon.json')
  writeFileSync(discovery, JSON.stringify({ ...home.discovery(), url: 'http://127.0.0.1:1' }))
  return pid
}

const onLinux = test.runIf(process.platform === 'linux')

onLinux('status shows a hung daemon, doctor --fix kills it, and another daemon can start', async () => {
  const pid = await hungDaemon()
  const status = await home.mcp(['daemon', 'status', '--json'])
  expect(status.code).toBe(7)
  expect(JSON.parse(status.stdout).holder.pid).toBe(pid)
  const { fixed } = await doctor('--fix')
  expect(fixed!.map(({ message }) => message).join()).toContain(`(pid ${pid})`)
  await eventually(() => !isRunning(pid))
  expect((await home.json<{ pid: number }>(['daemon', 'start'])).pid).not.toBe(pid)
})

onLinux('daemon stop kills a hung daemon and says so', async () => {
  const pid = await hungDaemon()
  expect(await home.json(['daemon', 'stop'])).toEqual({ stopped: true, killed: true, home: home.dir })
  expect(isRunning(pid)).toBe(false)
})

onLinux('daemon restart replaces a daemon that accepts connections but never responds', async () => {
  const { pid } = await home.json<{ pid: number }>(['daemon', 'start'])
  process.kill(pid, 'SIGSTOP')
  const { code, stdout, stderr } = await home.mcp(['daemon', 'restart'])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `The daemon (pid ${pid}) did not respond and was killed.\n`,
  })
  expect(stdout).toContain(`Daemon restarted at ${home.discovery()!.url}`)
  expect(isRunning(pid)).toBe(false)
})
