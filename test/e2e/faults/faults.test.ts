import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { type CommandResult, createHome, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'
import { createProjectFolder, type ProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { childrenOf, isRunning } from '../../helpers/processes.ts'

let home: TestHome
let projects: ProjectFolder

beforeAll(() => {
  projects = createProjectFolder({
    'echo/mcp.config.json': JSON.stringify(echoServer('echo')),
    'other/mcp.config.json': JSON.stringify(echoServer('other')),
  })
})
afterAll(() => projects[Symbol.dispose]())

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

/**
 * Runs a shell script in a separate mount namespace, so that only the script sees a small or read-only file system. Works as
 * root or through a user namespace.
 */
function inMountNamespace({ env }: TestHome, script: string): Promise<CommandResult> {
  const flags = process.getuid?.() === 0 ? ['-m'] : ['-r', '-m']
  return runToEnd('unshare', [...flags, 'sh', '-c', script], {
    env: { ...env, MCP: `${process.execPath} ${MCP_BIN}`, PROJECTS: projects.path },
  })
}

test('a daemon refuses to start with a damaged database, names the file and leaves it unchanged', async () => {
  const database = join(home.dir, 'daemon.db')
  writeFileSync(database, 'this is no database, but it is mine '.repeat(300))
  const { code, stderr } = await home.mcp(['daemon', 'start'])
  expect(code).toBe(7)
  expect(stderr).toContain(database)
  expect(stderr).toMatch(/damaged|not a database/)
  expect(readFileSync(database, 'utf8')).toMatch(/^this is no database/)
  expect(home.discovery()).toBeUndefined()
})

test('a daemon refuses to start in a home that is not writable, and names the home', async () => {
  const { code, stderr } = await inMountNamespace(
    home,
    `mount -t tmpfs -o ro tmpfs "$MCP_HOME" && exec $MCP daemon start`,
  )
  expect(code).toBe(7)
  expect(stderr).toContain(home.dir)
  expect(stderr).toMatch(/is not writable/)
})

describe('on a full disk', () => {
  let disk: TestHome
  let run: CommandResult
  let failures: Record<string, string>

  // One disk for all tests, because starting daemons takes most of the time.
  beforeAll(async () => {
    disk = createHome()
    run = await inMountNamespace(
      disk,
      `mount -t tmpfs -o size=6m tmpfs "$MCP_HOME" || exit 90
      fill() { dd if=/dev/zero of="$MCP_HOME/filler" bs=4k 2>/dev/null; }
      fails() { name=$1; shift; error=$("$@" --json 2>&1 > /dev/null); echo "$name: $?"; echo "$name $error" >&2; }
      $MCP build $PROJECTS/echo --json > /dev/null || exit 91
      $MCP daemon backup --json > /dev/null || exit 92
      fill
      fails build $MCP build $PROJECTS/other
      fails backup $MCP daemon backup
      fails restore $MCP daemon restore --yes
      rm "$MCP_HOME/filler"
      $MCP daemon backup --verify --json > /dev/null; echo "verify later: $?"
      $MCP build $PROJECTS/other --json > /dev/null; echo "build later: $?"
      $MCP daemon backup --json > /dev/null; echo "backup later: $?"
      $MCP daemon stop --json > /dev/null; echo "stop: $?"
      log="$MCP_HOME/logs/daemon.log"; echo > "$log"
      fill
      fails start $MCP daemon start
      room=$(( $(grep -ab '^{"error":' "$log" | cut -d: -f1) + 20 ))
      head -c $((4096 - room - $(stat -c %s "$log"))) /dev/zero >> "$log"
      fails cut $MCP daemon start
      rm "$MCP_HOME/filler"
      $MCP list; echo "start later: $?"
      $MCP daemon stop --json > /dev/null`,
    )
    failures = Object.fromEntries(
      [...run.stderr.matchAll(/^(\w+) (\{.*\})$/gm)].map(([, name, json]) => [
        name,
        JSON.parse(json!).error.message,
      ]),
    )
  })
  afterAll(() => disk.remove())

  test('a build on a full disk fails with a clear message, a later build succeeds, and no earlier build is lost', () => {
    expect(run.code, run.stderr).toBe(0)
    expect(run.stdout).toMatch(/^build: 7$/m)
    expect(failures.build).toMatch(/full/)
    for (const line of ['build later: 0', 'stop: 0']) expect(run.stdout).toContain(line)
    for (const server of ['echo', 'other']) expect(run.stdout).toMatch(new RegExp(`^${server} `, 'm'))
  })

  test('the daemon reports the full disk at start, and starts once there is space', () => {
    // The log has space for the first 20 bytes of the error from the second start.
    for (const name of ['start', 'cut']) {
      expect(run.stdout).toMatch(new RegExp(`^${name}: 7$`, 'm'))
      expect(failures[name]).toContain('is full')
      expect(failures[name]).toContain(disk.dir)
    }
    expect(run.stdout).toContain('start later: 0')
  })

  test('backup and restore on a full disk fail with a clear message and change nothing', () => {
    for (const name of ['backup', 'restore']) {
      expect(run.stdout).toMatch(new RegExp(`^${name}: 7$`, 'm'))
      expect(failures[name]).toMatch(/full/)
    }
    for (const line of ['verify later: 0', 'backup later: 0']) expect(run.stdout).toContain(line)
  })
})

test('stopping the daemon stops every process it started', async () => {
  await home.json(['deploy', join(projects.path, 'echo'), '--env', 'production', '--min', '2'])
  const { pid } = home.discovery()!
  const children = childrenOf(pid)
  expect(children.length).toBeGreaterThanOrEqual(2)
  expect((await home.mcp(['daemon', 'stop'])).code).toBe(0)
  expect([pid, ...children].filter(isRunning)).toEqual([])
  expect(home.discovery()).toBeUndefined()
})
