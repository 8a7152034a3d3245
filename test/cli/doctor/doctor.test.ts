import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workingEngine } from '../../helpers/containers/stub-engine.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

interface Report {
  ok: boolean
  checks: { name: string; status: string; message: string; fix?: { description: string; command?: string } }[]
}

async function examine(env: NodeJS.ProcessEnv = {}) {
  using engine = workingEngine()
  const settings = { ...home.env, MCP_CONTAINER_ENGINE: engine.file, ...env }
  const { code, stdout } = await home.mcp(['doctor', '--json'], { env: settings })
  const report = JSON.parse(stdout) as Report
  return { code, report, of: (name: string) => report.checks.filter(check => check.name === name) }
}

function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer()
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, port: (server.address() as { port: number }).port }),
    ),
  )
}

describe('mcp doctor', () => {
  it('mcp doctor passes in an empty home and starts nothing', async () => {
    const { code, report } = await examine()
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true })
    // The result for bubblewrap depends on the machine.
    const rest = report.checks.filter(({ name }) => name !== 'programs')
    expect(rest.every(({ status }) => status === 'pass')).toBe(true)
    expect(home.discovery()).toBeUndefined()
  })

  it('reports missing isolation of custom servers', async () => {
    const { code, of } = await examine({ PATH: '/nowhere' })
    expect(code).toBe(0)
    expect(of('network')[0]?.message).toContain(
      'programs can reach every network, because bubblewrap is not installed here',
    )
    expect(of('limits')[1]).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('prlimit (util-linux) is not installed'),
    })
    expect(of('programs')[0]).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('bubblewrap'),
    })
  })

  it('reports the daemon and the key in use', async () => {
    await home.json(['daemon', 'start'])
    const { code, of } = await examine()
    expect(code).toBe(0)
    expect(of('daemon')[0]?.message).toContain(home.discovery()!.url)
    expect(of('api')[0]?.message).toContain('READ')
  })

  it('reports a damaged database, wrong permissions and leftovers of a crash', async () => {
    writeFileSync(join(home.dir, 'daemon.db'), 'this is no database any more', { mode: 0o600 })
    writeFileSync(join(home.dir, 'credentials.json'), '{"contexts":{}}')
    chmodSync(join(home.dir, 'credentials.json'), 0o644)
    const [left, underWay] = ['of a crash', 'under way'].map(name =>
      join(home.dir, `${name}.0123456789ab.tmp`),
    )
    for (const file of [left!, underWay!]) writeFileSync(file, '')
    utimesSync(left!, 1, 1)
    const { code, of } = await examine()
    expect(code).toBe(1)
    expect(of('database')[0]).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('is damaged: file is not a database'),
    })
    expect(of('permissions')[0]).toMatchObject({
      status: 'fail',
      fix: { command: `chmod go= ${join(home.dir, 'credentials.json')}` },
    })
    expect(of('leftovers')[0]).toMatchObject({
      status: 'warn',
      fix: { command: `rm -r '${left}'` },
    })
  })

  it('reports a port in use by another program', async () => {
    const { server, port } = await listen()
    const { code, of } = await examine({ MCP_PORT: String(port) })
    server.close()
    expect(code).toBe(1)
    expect(of('port')[0]).toMatchObject({
      status: 'fail',
      message: `${port} cannot be used (EADDRINUSE): another program uses it`,
    })
  })

  it('reports clients that are configured for a server that does not respond', async () => {
    const { server, port } = await listen()
    mkdirSync(join(home.dir, '.cursor'))
    const alive = `http://127.0.0.1:${port}/mcp`
    const dead = 'http://127.0.0.1:1/mcp'
    const elsewhere = 'https://mcp.example.com/mcp'
    const mcpServers = { alive: { url: alive }, dead: { url: dead }, elsewhere: { url: elsewhere } }
    writeFileSync(join(home.dir, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers }))
    const { code, of } = await examine()
    server.close()
    expect(code).toBe(1)
    expect(of('clients')).toMatchObject([
      { status: 'pass', message: `Cursor → alive (${alive})` },
      {
        status: 'fail',
        message: `Cursor → dead: no server responds at ${dead}`,
        fix: { command: 'mcp connect dead --client cursor --remove' },
      },
    ])
  })

  it('prints the checks as text, with a summary', async () => {
    const { stdout } = await home.mcp(['doctor'])
    expect(stdout).toMatch(/^ok {4}node {9}Node\.js v/)
    expect(stdout).toContain('All checks passed.')
  })
})
