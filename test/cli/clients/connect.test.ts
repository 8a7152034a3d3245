import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

const weather = join(fileURLToPath(new URL('../../..', import.meta.url)), 'examples', 'weather')

let home: TestHome
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const read = (...path: string[]) => JSON.parse(readFileSync(join(home.dir, ...path), 'utf8'))

describe('mcp connect', () => {
  it("adds a server's URL to the user's configuration and removes it again", async () => {
    await home.json(['build', weather])
    const connected = await home.json<{ url: string }>(['connect', 'weather', '--client', 'claude-code'])
    expect(read('.claude.json')).toEqual({ mcpServers: { weather: { type: 'http', url: connected.url } } })
    const again = await home.mcp(['connect', 'weather', '--client', 'claude-code'])
    expect(again.stdout).toContain('Claude Code already has weather')
    await home.json(['connect', 'weather', '--client', 'claude-code', '--remove'])
    expect(read('.claude.json')).toEqual({ mcpServers: {} })
  })

  it("--project writes the project's configuration, and --print only prints the entry", async () => {
    const url = 'https://tools.example/mcp'
    await home.json(['connect', url, '--client', 'vscode', '--project'], { cwd: home.dir })
    expect(read('.vscode', 'mcp.json')).toEqual({ servers: { 'tools-example': { type: 'http', url } } })
    const printed = await home.mcp(['connect', url, '--client', 'codex', '--name', 'tools', '--print'])
    expect(printed.stdout).toBe(`[mcp_servers.tools]\nurl = "${url}"\n`)
    expect(existsSync(join(home.dir, '.codex'))).toBe(false)
  })

  it('lists the supported clients, even in an error', async () => {
    const { stdout } = await home.mcp(['connect', 'https://tools.example/mcp'])
    expect(stdout).toMatch(/^claude-code +Claude Code/m)
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

  it('suggests a server for an unknown name', async () => {
    await home.json(['build', weather])
    const ended = await home.mcp(['connect', 'wether', '--client', 'cursor'])
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('Did you mean "weather"?') })
  })
})
