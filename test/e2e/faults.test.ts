import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHome, eventually, MCP_BIN, runToEnd, type TestHome } from '../helpers/mcp.ts'
import { childrenOf, isRunning } from '../helpers/processes.ts'

let home: TestHome
let project: string

beforeEach(() => {
  home = createHome()
  project = mkdtempSync(join(tmpdir(), 'mcp-project-'))
  writeProject('echo')
})

afterEach(async () => {
  await home.remove()
  rmSync(project, { recursive: true, force: true })
})

function writeProject(name: string): void {
  const echo = {
    name: 'echo',
    description: 'Gives the text back',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    handler: { type: 'template', text: '{{ text }}' },
  }
  writeFileSync(join(project, 'mcp.config.json'), JSON.stringify({ name, template: 'basic', tools: [echo] }))
}

/**
 * Runs a shell script in a separate mount namespace, so that only the script sees a small or read-only file system. Works as
 * root or through a user namespace.
 */
function inMountNamespace(script: string) {
  const flags = process.getuid?.() === 0 ? ['-m'] : ['-r', '-m']
  return runToEnd('unshare', [...flags, 'sh', '-c', script], {
    env: { ...home.env, MCP: `${process.execPath} ${MCP_BIN}` },
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

test('names an occupied port and how to choose another', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const { code, stderr } = await home.mcp(['daemon', 'start'], {
    env: { ...home.env, MCP_PORT: String(port) },
  })
  other.close()
  expect(code).toBe(5)
  expect(stderr).toContain(String(port))
  expect(stderr).toContain('MCP_PORT')
})

test('names a home that is not writable', async () => {
  const { code, stderr } = await inMountNamespace(
    `mount -t tmpfs -o ro tmpfs "$MCP_HOME" && exec $MCP daemon start`,
  )
  expect(code).toBe(7)
  expect(stderr).toContain(home.dir)
  expect(stderr).toMatch(/is not writable/)
})

test('a full disk fails requests with a clear message and loses nothing acknowledged', async () => {
  const { code, stdout, stderr } = await inMountNamespace(
    `
    mount -t tmpfs -o size=4m tmpfs "$MCP_HOME" || exit 90
    $MCP build ${project} --json > "$TMPDIR/first.json" || exit 91
    dd if=/dev/zero of="$MCP_HOME/filler" bs=4k 2>/dev/null
    sed -i s/echo/other/ ${project}/mcp.config.json
    $MCP build ${project} --json; echo "full: $?"
    rm "$MCP_HOME/filler"
    $MCP build ${project} --json > /dev/null; echo "freed: $?"
    $MCP list --json; echo
    $MCP daemon stop --json > /dev/null; echo "stopped: $?"
  `.replaceAll('$TMPDIR', project),
  )
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/full: 7/)
  expect(
    JSON.parse(
      stderr
        .trim()
        .split('\n')
        .find(text => text.includes('"error"'))!,
    ).error.message,
  ).toMatch(/full/)
  expect(stdout).toMatch(/freed: 0/)
  expect(stdout).toMatch(/stopped: 0/)
  expect(stdout).toContain('echo')
})

test('a start on a full disk says so, and works once there is space', async () => {
  const { code, stdout, stderr } = await inMountNamespace(`
    mount -t tmpfs -o size=4m tmpfs "$MCP_HOME" || exit 90
    $MCP build ${project} --json > /dev/null || exit 91
    $MCP daemon stop --json > /dev/null || exit 92
    dd if=/dev/zero of="$MCP_HOME/filler" bs=4k 2>/dev/null
    $MCP daemon start --json; echo "full: $?"
    rm "$MCP_HOME/filler"
    $MCP list --json
    $MCP daemon stop --json > /dev/null`)
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/full: 7/)
  expect(stderr).toContain('is full')
  expect(stderr).toContain(home.dir)
  expect(stdout).toContain('echo')
})

test('backup and restore on a full disk fail with a clear message and change nothing', async () => {
  const { code, stdout, stderr } = await inMountNamespace(`
    mount -t tmpfs -o size=6m tmpfs "$MCP_HOME" || exit 90
    $MCP build ${project} --json > /dev/null || exit 91
    $MCP daemon backup --json > /dev/null || exit 92
    dd if=/dev/zero of="$MCP_HOME/filler" bs=4k 2>/dev/null
    $MCP daemon backup --json; echo "backup: $?"
    $MCP daemon restore --yes --json; echo "restore: $?"
    rm "$MCP_HOME/filler"
    $MCP daemon backup --verify --json; echo "verify: $?"
    $MCP daemon backup --json > /dev/null; echo "freed: $?"
    $MCP list --json
    $MCP daemon stop --json > /dev/null`)
  expect(code, stderr).toBe(0)
  for (const line of ['backup: 7', 'restore: 7', 'verify: 0', 'freed: 0']) expect(stdout).toContain(line)
  expect(stderr.match(/full/g)!.length).toBeGreaterThanOrEqual(2)
  expect(stdout).toContain('"echo"')
})

test('several commands on a fresh home start one daemon', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => home.mcp(['list', '--json'])))
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(Array(5).fill([0, '']))
  const { pid } = home.discovery()!
  const starts = readFileSync(join(home.dir, 'logs', 'daemon.log'), 'utf8').match(/listening on/g)
  expect(starts).toHaveLength(1)
  expect(isRunning(pid)).toBe(true)
})

test('a daemon killed during builds and deploys leaves no hanging work and no orphans, and loses nothing acknowledged', async () => {
  const acknowledged = new Set<string>()
  for (let round = 0; round < 6; round++) {
    await home.json(['daemon', 'start'])
    const { url, pid } = home.discovery()!
    const work = keepDeploying(url, round, acknowledged)
    await eventually(() => acknowledged.size > round * 2 + 1)
    const instances = childrenOf(pid)
    expect(instances.length).toBeGreaterThan(0)
    process.kill(pid, 'SIGKILL')
    await work
    await eventually(() => instances.every(instance => !isRunning(instance)))
  }
  const { items } = await home
    .json<{ items: { deployment_id: string; status: string; url: string; error?: { code: string } }[] }>([
      'list',
      '--all',
    ])
    .then(listed =>
      'items' in listed ? listed : { items: (listed as { deployments: never[] }).deployments },
    )
  expect(items.filter(({ status }) => status === 'deploying')).toEqual([])
  for (const id of acknowledged) expect(items.map(item => item.deployment_id)).toContain(id)
  for (const { status, url } of items) {
    if (status === 'deployed') expect((await fetch(url.replace(/\/mcp$/, '/health'))).status).toBe(200)
  }
})

/** Builds and deploys servers until the daemon is gone. */
async function keepDeploying(url: string, round: number, acknowledged: Set<string>): Promise<void> {
  const headers = { authorization: `Bearer ${home.apiKey()}`, 'content-type': 'application/json' }
  const definition = JSON.parse(readFileSync(join(project, 'mcp.config.json'), 'utf8'))
  const post = async (path: string, body: unknown) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await response.json()) as { data: { mcp_id: string; deployment_id: string; status: string } })
      .data
  }
  for (let count = 0; count < 200; count++) {
    try {
      const { mcp_id } = await post('/v1/build', { ...definition, name: `server-${round}-${count}` })
      const { deployment_id, status } = await post('/v1/deploy', {
        mcp_id,
        environment: count % 4 ? 'staging' : 'production',
      })
      if (status === 'deployed') acknowledged.add(deployment_id)
    } catch {
      return // the daemon was killed, which is the point
    }
  }
}

test('stopping the daemon stops every process it started', async () => {
  mkdirSync(join(home.dir, 'logs'), { recursive: true })
  await home.json(['deploy', project, '--env', 'production', '--min', '2'])
  const { pid } = home.discovery()!
  const children = childrenOf(pid)
  expect(children.length).toBeGreaterThanOrEqual(2)
  expect((await home.mcp(['daemon', 'stop'])).code).toBe(0)
  expect([pid, ...children].filter(isRunning)).toEqual([])
  expect(home.discovery()).toBeUndefined()
})
