import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { launchdAgent, systemdUnit } from '../../../src/cli/service/unit.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
let env: Record<string, string>

/** A systemctl that starts and stops the program of the unit. */
const SYSTEMCTL = `#!/bin/sh
echo "$@" >> "$FAKE_DIR/calls"
unit="$XDG_CONFIG_HOME/systemd/user/mcp-hosting.service"
case "$2" in
  enable)
    grep '^Environment=' "$unit" | sed 's/^Environment=//; s/^"//; s/"$//' > "$FAKE_DIR/env"
    command=$(grep '^ExecStart=' "$unit" | sed 's/^ExecStart=//')
    (unset MCP_HOME MCP_PORT; while IFS= read -r line; do export "$line"; done < "$FAKE_DIR/env"; eval "exec $command" >/dev/null 2>&1 & echo $! > "$FAKE_DIR/pid") ;;
  disable) kill "$(cat "$FAKE_DIR/pid")"; while kill -0 "$(cat "$FAKE_DIR/pid")" 2>/dev/null; do sleep 0.05; done ;;
esac
`

beforeEach(() => {
  home = createHome()
  const bin = join(home.dir, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'systemctl'), SYSTEMCTL)
  chmodSync(join(bin, 'systemctl'), 0o755)
  env = {
    ...(home.env as Record<string, string>),
    PATH: `${bin}:${process.env.PATH}`,
    XDG_CONFIG_HOME: join(home.dir, 'config'),
    FAKE_DIR: home.dir,
  }
})

afterEach(() => home.remove())

test.runIf(process.platform === 'linux')(
  'daemon install runs the daemon of this home as a service, and daemon uninstall removes the service',
  async () => {
    const before = await home.json<{ pid: number }>(['daemon', 'start'])
    const installed = await home.json<{ file: string; url: string }>(['daemon', 'install'], { env })
    expect(readFileSync(installed.file, 'utf8')).toContain('ExecStart=')
    const status = await home.json<{ pid: number; url: string }>(['daemon', 'status'])
    expect(status.url).toBe(installed.url)
    expect(status.pid).not.toBe(before.pid)
    expect(await home.json(['daemon', 'uninstall'], { env })).toMatchObject({ removed: true })
    expect((await home.mcp(['daemon', 'status'])).code).toBe(7)
    expect(existsSync(installed.file)).toBe(false)
    expect(await home.json(['daemon', 'uninstall'], { env })).toMatchObject({ removed: false })
  },
)

test.runIf(process.platform === 'linux')(
  'if the service manager fails, daemon install shows its error, removes the unit file and starts the daemon again',
  async () => {
    writeFileSync(
      join(home.dir, 'bin', 'systemctl'),
      '#!/bin/sh\necho "Failed to connect to bus" >&2; exit 1\n',
    )
    await home.json(['daemon', 'start'])
    const { code, stderr } = await home.mcp(['daemon', 'install'], { env })
    expect(code).toBe(7)
    expect((await home.mcp(['daemon', 'status'])).code).toBe(0)
    expect(stderr).toContain('Failed to connect to bus')
    expect(existsSync(join(env.XDG_CONFIG_HOME!, 'systemd/user/mcp-hosting.service'))).toBe(false)
  },
)

test.runIf(process.platform === 'linux')(
  'daemon install exits with 8 if the service manager starts no daemon in time',
  async () => {
    writeFileSync(join(home.dir, 'bin', 'systemctl'), '#!/bin/sh\n')
    const { code, stderr } = await home.mcp(['daemon', 'install', '--timeout', '1s'], { env })
    expect([code, stderr]).toEqual([
      8,
      'Error: The daemon did not respond within 1 s.\nShow its log:  mcp daemon logs\n',
    ])
  },
)

test('daemon install --print prints the unit file and changes nothing', async () => {
  const { stdout } = await home.mcp(['daemon', 'install', '--print'], { env })
  expect(stdout).toContain(process.platform === 'darwin' ? '<plist' : '[Service]')
  expect(existsSync(join(home.dir, 'calls'))).toBe(false)
})

test('special characters in paths and values are escaped in a unit file', () => {
  const spec = {
    node: '/opt/no de/node',
    program: '/a/"b" $c.js',
    env: { MCP_HOME: '/x %h $HOME <&>' },
    logPath: '/l',
  }
  const unit = systemdUnit(spec)
  expect(unit).toContain('ExecStart="/opt/no de/node" "/a/\\"b\\" $$c.js"')
  expect(unit).toContain('Delegate=cpu memory pids\nDelegateSubgroup=mcp-daemon\n')
  expect(unit).toContain('Environment="MCP_HOME=/x %%h $HOME <&>"')
  expect(launchdAgent(spec)).toContain('<string>/x %h $HOME &lt;&amp;&gt;</string>')
})

test('daemon backup saves the database in use to the home and to a given file', async () => {
  await home.mcp(['projects', 'create', 'kept'])
  const target = join(home.dir, 'safe.db')
  const record = await home.json<{ file: string; bytes: number }>(['daemon', 'backup', target])
  for (const file of [record.file, target]) {
    const copy = new BetterSqlite3(file, { readonly: true })
    expect(copy.prepare('SELECT name FROM projects').all()).toEqual([{ name: 'kept' }])
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
  }
})

test('daemon backup reports a failed copy to a given file and keeps the backup in the home', async () => {
  const { code, stderr } = await home.mcp(['daemon', 'backup', join(home.dir, 'none', 'safe.db')])
  expect([code, stderr]).toEqual([7, expect.stringContaining('safe.db')])
  expect(readdirSync(join(home.dir, 'backups')).filter(name => name.endsWith('.db'))).toHaveLength(1)
})
