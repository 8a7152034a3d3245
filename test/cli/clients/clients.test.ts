import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  connectClient,
  disconnectClient,
  listConnected,
  snippetFor,
} from '../../../src/cli/clients/config.ts'
import { CLIENTS } from '../../../src/cli/clients/list.ts'
import { listServerEntries } from '../../../src/cli/clients/server-entries.ts'

const server = { name: 'weather', url: 'http://127.0.0.1:20001/mcp' }
const clientOf = (id: string) => CLIENTS.find(client => client.id === id)!

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-clients-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('client configurations', () => {
  it.each(CLIENTS.map(({ id }) => id))(
    'adds a server for %s to a new file once, and removes it again',
    async id => {
      const client = clientOf(id)
      const file = client.userFile({ platform: 'linux', home: folder, env: {} })
      expect(await connectClient(client, file, server)).toEqual({ file, changed: true, backup: undefined })
      expect(await connectClient(client, file, server)).toMatchObject({ changed: false })
      expect(await listConnected(client, file)).toEqual([server])
      expect(await disconnectClient(client, file, 'weather')).toMatchObject({ changed: true })
      expect(await disconnectClient(client, file, 'weather')).toMatchObject({ changed: false })
      expect(await listConnected(client, file)).toEqual([])
    },
  )

  it.each(['constructor', '__proto__'])(
    'does not mistake the entry name %s for an existing entry',
    async name => {
      for (const client of [clientOf('cursor'), clientOf('codex')]) {
        const file = join(folder, client.id)
        expect(await disconnectClient(client, file, name)).toMatchObject({ changed: false })
        if (name === 'constructor')
          expect(await connectClient(client, file, { ...server, name })).toMatchObject({ changed: true })
      }
    },
  )

  it('writes servers under the property that each client reads', async () => {
    const keys = Object.fromEntries(
      await Promise.all(
        ['claude-code', 'vscode', 'cursor', 'zed'].map(async id => [
          id,
          Object.keys(JSON.parse(await snippetFor(clientOf(id), server)))[0],
        ]),
      ),
    )
    expect(keys).toEqual({
      'claude-code': 'mcpServers',
      vscode: 'servers',
      cursor: 'mcpServers',
      zed: 'context_servers',
    })
    expect(await snippetFor(clientOf('codex'), server)).toBe(`[mcp_servers.weather]\nurl = "${server.url}"`)
  })

  it('preserves comments and formatting of JSON and creates a backup', async () => {
    const file = join(folder, 'settings.json')
    const before =
      '{\n\t// my settings\n\t"theme": "dark", // as it is\n\t"context_servers": {\n\t\t"mine": { "url": "https://mine.example/mcp" }\n\t},\n}\n'
    writeFileSync(file, before)
    const change = await connectClient(clientOf('zed'), file, server)
    const after = readFileSync(file, 'utf8')
    expect(after).toContain('\t// my settings\n\t"theme": "dark", // as it is\n')
    expect(await listConnected(clientOf('zed'), file)).toEqual([
      { name: 'mine', url: 'https://mine.example/mcp' },
      server,
    ])
    expect(readFileSync(change.backup!, 'utf8')).toBe(before)
  })

  it('preserves the layout of other servers, line endings and a missing final newline', async () => {
    const file = join(folder, 'mcp.json')
    const before =
      '{\r\n    "mcpServers": {\r\n        "a": { "url": "https://a.example" },\r\n        "b": {"url":"b"}\r\n    }\r\n}'
    writeFileSync(file, before)
    await connectClient(clientOf('cursor'), file, server)
    const added = `,\r\n        "weather": {\r\n            "url": "${server.url}"\r\n        }`
    expect(readFileSync(file, 'utf8')).toBe(before.replace('"b"}', `"b"}${added}`))
    await disconnectClient(clientOf('cursor'), file, 'weather')
    expect(readFileSync(file, 'utf8')).toBe(before)
    await disconnectClient(clientOf('cursor'), file, 'a')
    expect(readFileSync(file, 'utf8')).toContain('"mcpServers": {\r\n        "b": {"url":"b"}\r\n    }')
  })

  it('preserves comments and tables of TOML', async () => {
    const file = join(folder, 'config.toml')
    const before =
      '# mine\nmodel = "large" # the good one\n\n[mcp_servers.files]\ncommand = "files"\n\n[mcp_servers.files.env]\nA = "1"\n\n[profiles.work]\nmodel = "small"\n'
    writeFileSync(file, before)
    await connectClient(clientOf('codex'), file, server)
    expect(readFileSync(file, 'utf8')).toBe(`${before}\n[mcp_servers.weather]\nurl = "${server.url}"\n`)
    await connectClient(clientOf('codex'), file, { ...server, url: 'http://127.0.0.1:20002/mcp' })
    expect(await listConnected(clientOf('codex'), file)).toEqual([
      { name: 'weather', url: 'http://127.0.0.1:20002/mcp' },
    ])
    await disconnectClient(clientOf('codex'), file, 'weather')
    expect(readFileSync(file, 'utf8').trimEnd()).toBe(before.trimEnd())
  })

  it('refuses to edit invalid JSON and inline TOML tables', async () => {
    const json = join(folder, 'broken.json')
    writeFileSync(json, '{\n "mcpServers": {\n')
    await expect(connectClient(clientOf('cursor'), json, server)).rejects.toThrow(
      'broken.json is not valid JSON: closing brace expected on line 3.',
    )
    expect(readFileSync(json, 'utf8')).toBe('{\n "mcpServers": {\n')
    const toml = join(folder, 'config.toml')
    writeFileSync(toml, 'mcp_servers = { weather = { url = "http://127.0.0.1:1/mcp" } }\n')
    await expect(connectClient(clientOf('codex'), toml, server)).rejects.toThrow('cannot be edited safely')
    expect(readFileSync(toml, 'utf8')).toContain('127.0.0.1:1')
    expect(existsSync(`${toml}.bak`)).toBe(false)
  })

  it('replaces an entry with a remote URL only if forced', async () => {
    const file = join(folder, 'mcp.json')
    writeFileSync(file, '{"mcpServers":{"weather":{"url":"https://weather.example/mcp"}}}')
    await expect(connectClient(clientOf('cursor'), file, server)).rejects.toMatchObject({ code: 'CONFLICT' })
    await connectClient(clientOf('cursor'), file, server, true)
    expect(await listConnected(clientOf('cursor'), file)).toEqual([server])
  })

  it('does not mistake a URL in the arguments of a command for the URL of a server', async () => {
    const file = join(folder, 'mcp.json')
    const args = ['--database', 'http://localhost:8080']
    writeFileSync(file, JSON.stringify({ mcpServers: { weather: { command: 'notes', args } } }))
    expect(await listConnected(clientOf('cursor'), file)).toEqual([])
    await expect(connectClient(clientOf('cursor'), file, server)).rejects.toMatchObject({
      message: `${file} already has another server "weather": a command.`,
    })
    const [entry] = await listServerEntries(clientOf('cursor'), file)
    expect(entry).toMatchObject({ words: ['notes', ...args], isLocal: false })
  })

  it('follows a symbolic link instead of replacing it', async () => {
    const real = join(folder, 'dotfiles.json')
    const link = join(folder, 'mcp.json')
    writeFileSync(real, '{}')
    symlinkSync(real, link)
    await connectClient(clientOf('cursor'), link, server)
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ mcpServers: { weather: { url: server.url } } })
  })

  it.each([
    ['darwin', join('Library', 'Application Support', 'Claude', 'claude_desktop_config.json')],
    ['linux', join('.config', 'Claude', 'claude_desktop_config.json')],
    ['win32', join('AppData', 'Roaming', 'Claude', 'claude_desktop_config.json')],
  ] as const)('finds the configuration file of Claude Desktop on %s', (platform, path) => {
    expect(clientOf('claude').userFile({ platform, home: '/home', env: {} })).toBe(join('/home', path))
  })
})
