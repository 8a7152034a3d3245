// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variable references in client configurations.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS } from '../../../src/cli/clients/list.ts'
import { replaceServers, restoreServers } from '../../../src/cli/clients/replace-servers.ts'
import { clientOfFile, listServerEntries } from '../../../src/cli/clients/server-entries.ts'
import { planImport } from '../../../src/cli/project/imported-server.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

const SERVER = new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url).pathname
const ENTRY = { command: 'npx', args: ['-y', 'some-server'], env: { API_KEY: 'secret' } }

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

const clientOf = (id: string) => CLIENTS.find(client => client.id === id)!

function writeConfig(path: string, content: object | string): string {
  const file = join(home.dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return file
}

describe('servers in client configurations', () => {
  it.each([
    ['claude', { mcpServers: { a: ENTRY } }],
    ['vscode', { servers: { a: { type: 'stdio', ...ENTRY } } }],
    ['zed', { context_servers: { a: { command: { path: 'npx', args: ENTRY.args }, env: ENTRY.env } } }],
    [
      'opencode',
      {
        mcp: { a: { type: 'local', command: ['npx', ...ENTRY.args], environment: ENTRY.env, enabled: true } },
      },
    ],
    [
      'codex',
      '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "some-server"]\n\n[mcp_servers.a.env]\nAPI_KEY = "secret"\n',
    ],
  ])('reads the servers of %s, even if only the file is known', async (id, content) => {
    const file = writeConfig(`formats/${id}.${id === 'codex' ? 'toml' : 'json'}`, content)
    const expected = [
      {
        name: 'a',
        words: ['npx', '-y', 'some-server'],
        env: { API_KEY: 'secret' },
        isLocal: false,
        isDisabled: false,
      },
    ]
    expect(await listServerEntries(clientOf(id), file)).toEqual(expected)
    expect(await listServerEntries((await clientOfFile(file)).client, file)).toEqual(expected)
  })

  it('recognizes that an entry points to this machine, for every client', async () => {
    for (const client of CLIENTS) {
      const file = join(home.dir, 'written', client.id)
      await replaceServers(client, file, [{ name: 'a', url: 'http://127.0.0.1:20001/mcp' }])
      const [entry] = await listServerEntries(client, file)
      expect(planImport(entry!, { set: {}, env: {} }).reason, client.id).toBe('this machine already hosts it')
    }
  })

  it('restores the original entries after two imports, except entries that no longer point to this machine', async () => {
    const client = clientOf('cursor')
    const before = { mcpServers: { a: ENTRY, b: ENTRY, c: ENTRY }, other: 1 }
    const file = writeConfig('undo/mcp.json', before)
    const read = () => JSON.parse(readFileSync(file, 'utf8'))
    await replaceServers(client, file, [{ name: 'a', url: 'http://127.0.0.1:20001/mcp' }])
    await replaceServers(client, file, [
      { name: 'a', url: 'http://127.0.0.1:20009/mcp' },
      { name: 'b', url: 'http://127.0.0.1:20002/mcp' },
    ])
    expect(read().mcpServers.a).toEqual({ url: 'http://127.0.0.1:20009/mcp' })
    expect(statSync(`${file}.before-import`).mode & 0o777).toBe(0o600)
    const changed = read()
    changed.mcpServers.b = { url: 'https://b.example/mcp' }
    writeFileSync(file, JSON.stringify(changed))
    expect((await restoreServers(client, file)).restored).toEqual(['a'])
    expect(read()).toEqual({
      ...before,
      mcpServers: { a: ENTRY, b: { url: 'https://b.example/mcp' }, c: ENTRY },
    })
    await expect(restoreServers(client, file)).rejects.toThrow('No import changed')
  })

  it('keeps the original entries when none could be restored', async () => {
    const client = clientOf('cursor')
    const file = writeConfig('kept/mcp.json', { mcpServers: { a: ENTRY } })
    await replaceServers(client, file, [{ name: 'a', url: 'http://127.0.0.1:20001/mcp' }])
    const imported = readFileSync(file, 'utf8')
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { url: 'https://a.example/mcp' } } }))
    expect((await restoreServers(client, file)).restored).toEqual([])
    writeFileSync(file, imported)
    expect((await restoreServers(client, file)).restored).toEqual(['a'])
  })
})

describe('the plan of an import', () => {
  const plan = (entry: object, set: Record<string, string> = {}) => {
    const base = { name: 'a', words: [], env: {}, isLocal: false, isDisabled: false }
    return planImport({ ...base, ...entry }, { set, env: { HOME: '/home/ada' } })
  }

  it('resolves variable references, and reports a reference without a value', () => {
    const env = { A: '${env:HOME}/notes', B: '${PORT:-80}', C: '{env:HOME}' }
    const { project, variables } = plan({ words: ['server', '${HOME}'], env })
    expect(project!.request.env_vars).toEqual({ A: '/home/ada/notes', B: '80', C: '/home/ada' })
    expect(project!.request.program).toMatchObject({ command: 'server', args: ['/home/ada'] })
    expect(variables).toEqual(['A', 'B', 'C'])
    const asked = { words: ['server'], env: { KEY: '${input:key}' } }
    expect(plan(asked).reason).toBe('${input:key} has no value. Set it with --set KEY=VALUE')
    expect(plan(asked, { KEY: 'x' }).project!.request.env_vars).toEqual({ KEY: 'x' })
  })

  it('passes the variables of docker run to the container', () => {
    const words = ['docker', 'run', '-i', '--rm', '-e', 'TOKEN', 'mcp/search']
    const { project } = plan({ words, env: { TOKEN: 't', OTHER: 'o' } })
    expect(project!.request).toMatchObject({
      program: { type: 'image', image: 'mcp/search' },
      env_vars: { TOKEN: 't' },
    })
    expect(plan({ words: ['docker', 'run', '--privileged', 'x'] }).reason).toContain(
      '--privileged is not supported',
    )
  })

  it('skips remote servers, disabled servers and entries without a command or URL', () => {
    expect(plan({ url: 'https://a.example/mcp' }).reason).toBe(
      'it is a remote server, which needs no hosting',
    )
    expect(plan({ words: ['server'], isDisabled: true }).reason).toBe('it is disabled')
    expect(plan({}).reason).toBe('it has neither a command nor a URL')
  })
})

describe('mcp import', () => {
  const servers = {
    'my notes': { command: process.execPath, args: [SERVER], env: { NOTES_KEY: 'secret' } },
    broken: { command: 'no-such-command' },
    remote: { url: 'https://tools.example/mcp' },
  }

  it('--dry-run lists the servers that would be hosted, without the values of their variables', async () => {
    const file = writeConfig('.cursor/mcp.json', { mcpServers: servers })
    const { stdout } = await home.mcp(['import', 'cursor', '--dry-run'])
    expect(stdout).toMatch(/^my-notes .*stdio-server\.mjs +NOTES_KEY$/m)
    expect(stdout).toContain('Not hosted: remote (https://tools.example/mcp), because it is a remote server')
    expect(stdout).not.toContain('secret')
    const shown = await home.json<{ name: string; action: string }[]>(['import', file, '--dry-run'])
    expect(shown.map(({ name, action }) => [name, action])).toEqual([
      ['my-notes', 'host'],
      ['broken', 'host'],
      ['remote', 'skipped'],
    ])
  })

  it('hosts the servers of a client, stores their variables, points the client at them, and --undo restores the entries', async () => {
    const file = writeConfig('.cursor/mcp.json', { mcpServers: servers, theme: 'dark' })
    const ended = await home.mcp(['import', 'cursor', '--connect', '--json'])
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('broken is not hosted') })
    const [notes] = JSON.parse(ended.stdout).servers
    expect(notes).toMatchObject({ name: 'my-notes', action: 'hosted' })
    expect(ended.stdout).not.toContain('secret')
    const connected = { ...servers, 'my notes': { url: notes.url } }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: connected, theme: 'dark' })
    expect((await home.mcp(['tools', 'my-notes'])).code).toBe(0)
    const listed = await home.mcp(['env', 'list', 'my-notes'])
    expect(listed.stdout).toContain('NOTES_KEY')
    const undone = await home.json<{ restored: string[] }>(['import', 'cursor', '--undo'])
    expect(undone.restored).toEqual(['my notes'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: servers, theme: 'dark' })
    expect(existsSync(`${file}.before-import`)).toBe(false)
    await home.mcp(['import', 'cursor', '--connect'])
    const { stdout } = await home.mcp(['import', 'cursor', '--undo'])
    expect(stdout).toContain('If my-notes is still hosted, remove it:  mcp remove my-notes')
  })

  it('--undo names no next step when it restored nothing', async () => {
    const client = clientOf('cursor')
    const file = writeConfig('.cursor/mcp.json', { mcpServers: { a: ENTRY } })
    await replaceServers(client, file, [{ name: 'a', url: 'http://127.0.0.1:20001/mcp' }])
    writeFileSync(file, JSON.stringify({ mcpServers: { a: ENTRY } }))
    const { stdout } = await home.mcp(['import', 'cursor', '--undo'])
    expect(stdout).toBe(`${file} has changed since the import. Nothing was restored.\n`)
    rmSync(`${file}.before-import`)
  })

  it('reports why a server is not hosted, with the output of its program and the next step', async () => {
    const script = { command: process.execPath, args: ['nowhere.mjs'] }
    const file = writeConfig('script.json', { mcpServers: { script } })
    const { code, stderr } = await home.mcp(['import', file])
    expect(code).toBe(1)
    expect(stderr).toContain('Error: script is not hosted: The program cannot be served')
    expect(stderr).toContain('Cannot find module')
    expect(stderr).toContain('Give the absolute path of nowhere.mjs in the configuration, or set "cwd"')
    const placed = writeConfig('placed.json', { mcpServers: { script: { ...script, cwd: home.dir } } })
    expect((await home.mcp(['import', placed])).stderr).toContain(
      `File nowhere.mjs does not exist in ${home.dir}. Correct "cwd" in the configuration`,
    )
    const [record] = JSON.parse((await home.mcp(['import', file, '--json'])).stdout).servers
    expect(record).toMatchObject({ action: 'failed', details: expect.stringContaining('Cannot find module') })
  })

  it('reports a file with invalid JSON, the line of the error and the next step', async () => {
    const file = writeConfig('damaged.json', '{\n  "mcpServers": {}\n')
    const { code, stderr } = await home.mcp(['import', file])
    expect([code, stderr]).toEqual([
      2,
      `Error: ${file} is not valid JSON: closing brace expected on line 3.\nCorrect the file\n`,
    ])
  })

  it('reports a client without a configuration, and suggests only clients that have one', async () => {
    mkdirSync(join(home.dir, '.codeium', 'windsurf'), { recursive: true })
    const missing = await home.mcp(['import', 'windsurf', '--dry-run'])
    expect([missing.code, missing.stderr]).toEqual([
      4,
      expect.stringContaining('mcp_config.json does not exist.'),
    ])
    const other = await createHome()
    try {
      mkdirSync(join(other.dir, '.cursor'))
      const none = await other.mcp(['import'])
      expect(none.stdout).toMatch(/^cursor +Cursor +no file yet/m)
      expect(none.stdout).toContain('mcp import <file> --dry-run')
      writeFileSync(join(other.dir, '.cursor', 'mcp.json'), '{}')
      expect((await other.mcp(['import'])).stdout).toContain('mcp import cursor --dry-run')
    } finally {
      await other.remove()
    }
  })

  it('replaces the servers in a file of an unknown client and keeps the layout of the file', async () => {
    const before = '{"mcpServers":{"notes":{"command":"PROGRAM","args":["FILE"]}},"theme":"dark"}'
      .replace('PROGRAM', process.execPath)
      .replace('FILE', SERVER)
    const file = writeConfig('team.json', {})
    writeFileSync(file, before)
    const { stdout } = await home.mcp(['import', file, '--connect'])
    const [, url] = /Hosted notes at (\S+)/.exec(stdout)!
    expect(stdout).toContain(`Clients that read ${file} now use the hosted servers.`)
    expect(stdout).not.toContain('Claude')
    const after = `{"mcpServers":{"notes":{"type":"http","url":"${url}"}},"theme":"dark"}`
    expect(readFileSync(file, 'utf8')).toBe(after)
    await home.json(['import', file, '--undo'])
    expect(readFileSync(file, 'utf8')).toBe(before)

    const failing = writeConfig('failing.json', { mcpServers: { broken: servers.broken } })
    const failed = await home.mcp(['import', failing])
    expect(failed.code).toBe(1)
    expect(failed.stdout).not.toContain('--connect')
  })

  it('rejects an unknown server or client and lists the known ones', async () => {
    const file = writeConfig('.cursor/mcp.json', { mcpServers: servers })
    const noServer = await home.mcp(['import', file, '--only', 'nots'])
    expect(noServer).toMatchObject({ code: 4, stderr: expect.stringContaining('my notes, broken, remote') })
    const noClient = await home.mcp(['import', 'emacs'])
    expect(noClient).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('claude, claude-code, cursor'),
    })
    expect((await home.mcp(['import'])).stdout).toMatch(/^cursor +Cursor +found/m)
  })
})
