import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { createHome, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { hasTerminals, openTerminal } from '../../helpers/daemon/terminal.ts'

const weather = join(fileURLToPath(new URL('../../..', import.meta.url)), 'examples', 'weather')

let home: TestHome
const read = (...path: string[]) => JSON.parse(readFileSync(join(home.dir, ...path), 'utf8'))

describe('mcp connect', () => {
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it("--project writes the project's configuration, and --print only prints the entry", async () => {
    const url = 'https://tools.example/mcp'
    await home.json(['connect', url, '--client', 'vscode', '--project'], { cwd: home.dir })
    expect(read('.vscode', 'mcp.json')).toEqual({ servers: { 'tools-example': { type: 'http', url } } })
    const printed = await home.mcp(['connect', url, '--client', 'codex', '--name', 'tools', '--print'])
    expect(printed.stdout).toBe(`[mcp_servers.tools]\nurl = "${url}"\n`)
    expect(existsSync(join(home.dir, '.codex'))).toBe(false)
  })

  it('uses the only installed client, requires a choice among several, and connects all with --all', async () => {
    const url = 'https://tools.example/mcp'
    const connect = (...options: string[]) => home.mcp(['connect', url, '--name', 'tools', ...options])
    expect(await connect()).toMatchObject({ code: 4, stderr: expect.stringContaining('No MCP client') })
    mkdirSync(join(home.dir, '.claude'))
    expect((await connect()).stdout).toContain(`Added tools (${url}) to Claude Code: `)
    mkdirSync(join(home.dir, '.cursor'))
    const several = await connect()
    expect(several).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Missing --client. Clients found: claude-code, cursor.'),
    })
    expect(several.stderr).toContain(`mcp connect ${url} --name tools --all`)
    expect((await connect('--remove')).stdout).toMatch(/Removed tools from .*\.claude\.json/)

    writeFileSync(join(home.dir, '.claude.json'), 'damaged')
    expect((await connect('--client', 'claude-code')).stderr).toContain(
      `Or print the entry and add it by hand:  mcp connect ${url} --name tools --client claude-code --print`,
    )
    const text = await connect('--all')
    expect(text.stderr).toMatch(/^Error: Claude Code was not changed: .* is not valid JSON/)
    expect(text.stderr).toContain(`mcp connect ${url} --name tools --all --print`)
    await connect('--client', 'cursor', '--remove')
    const all = await connect('--all', '--json')
    expect([all.code, JSON.parse(all.stdout)]).toMatchObject([
      1,
      [
        { client: 'claude-code', changed: false, error: expect.stringContaining('is not valid JSON') },
        { client: 'cursor', name: 'tools', url, changed: true },
      ],
    ])
    expect(read('.cursor', 'mcp.json')).toEqual({ mcpServers: { tools: { url } } })
    rmSync(join(home.dir, '.claude.json'))
    expect((await connect('--all')).code).toBe(0)
    expect(await connect('--remove')).toMatchObject({ code: 2 })
    expect((await connect('--remove', '--all')).stdout.match(/^Removed tools/gm)).toHaveLength(2)
    expect(await connect('--remove')).toMatchObject({ code: 4 })
  })

  it.runIf(hasTerminals)('asks for one of several installed clients at a terminal', async () => {
    for (const folder of ['.claude', '.cursor']) mkdirSync(join(home.dir, folder))
    const command = `${process.execPath} ${MCP_BIN} connect https://tools.example/mcp`
    const terminal = openTerminal(command, home.env)
    await terminal.expects('Client')
    await terminal.chooses('curs', '2  cursor')
    expect(await terminal.ended).toBe(0)
    expect(Object.keys(read('.cursor', 'mcp.json').mcpServers)).toEqual(['tools-example'])
  })

  it('rejects an unknown client and lists the supported ones', async () => {
    const wrong = await home.mcp(['connect', 'https://tools.example/mcp', '--client', 'emacs'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('claude, claude-code, cursor') })
    const noProject = await home.mcp([
      'connect',
      'https://tools.example/mcp',
      '--client',
      'claude',
      '--project',
    ])
    expect(noProject).toMatchObject({ code: 2, stderr: expect.stringContaining('Omit --project') })
  })
})

describe('mcp connect to a server on this machine', () => {
  beforeAll(async () => {
    home = await startHome()
    await home.json(['build', weather])
  })
  afterAll(() => home.remove())

  it("adds a server's URL to the user's configuration and removes it again", async () => {
    const connected = await home.json<{ url: string }>(['connect', 'weather', '--client', 'claude-code'])
    expect(read('.claude.json')).toEqual({ mcpServers: { weather: { type: 'http', url: connected.url } } })
    const again = await home.mcp(['connect', 'weather', '--client', 'claude-code'])
    expect(again.stdout).toContain('Claude Code already has weather')
    await home.json(['connect', 'weather', '--client', 'claude-code', '--remove'])
    expect(read('.claude.json')).toEqual({ mcpServers: {} })
  })

  it('suggests a similar server for an unknown name', async () => {
    const ended = await home.mcp(['connect', 'wether', '--client', 'cursor'])
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('Did you mean "weather"?') })
  })
})
