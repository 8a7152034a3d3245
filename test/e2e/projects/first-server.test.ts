import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReleaseRecord } from '../../../src/shared/contract/deployments/releases.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

/** The first server of a new user, from an empty home to its removal. */
let home: TestHome
let folder: string
beforeAll(() => {
  home = createHome()
  folder = join(home.dir, 'notes')
})
afterAll(() => home.remove())

/** A tool that stores a note and returns all notes, signed with a secret. */
const tool = (shown: string) => `
import { createHmac } from 'node:crypto'
import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Adds a note',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  async handler({ text }, { store, env }) {
    const id = await store.increment('last-note')
    await store.set(\`note/\${id}\`, text)
    const notes = (await store.list<string>('note/')).map(({ value }) => ${shown})
    return { notes, signature: createHmac('sha256', env.SIGNING_KEY).update(notes.join()).digest('hex') }
  },
})
`

/** The expected result of the tool. */
const signed = (key: string, ...notes: string[]) => ({
  notes,
  signature: createHmac('sha256', key).update(notes.join()).digest('hex'),
})

/** Runs a command that succeeds. Returns everything it prints. */
async function mcp(args: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await home.mcp(args.split(' '), { cwd: folder, input })
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
  const shown = `${stdout}${stderr}`
  expect(shown).not.toMatch(/(trial|first|second)-key/)
  return shown
}

const call = async (text: string, environment = 'development') =>
  JSON.parse(await mcp(`call notes add_note text=${text} --env ${environment} --json`)).structuredContent

test('a new user deploys a server with state and a secret, changes it, rolls back and removes it', async () => {
  await home.json(['init', folder, '--template', 'custom', '--tool', 'add_note'])
  writeFileSync(join(folder, 'tools/add_note.ts'), tool('value'))
  const file = join(folder, 'mcp.config.json')
  const env = [{ name: 'SIGNING_KEY', required: true, secret: true }]
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), env }))
  await mcp('env set SIGNING_KEY', 'trial-key')
  expect(JSON.parse(await mcp('up --json')).tools).toEqual(['add_note'])
  expect(await call('draft')).toEqual(signed('trial-key', 'draft'))

  await mcp('env set SIGNING_KEY --env production', 'first-key')
  const { url } = JSON.parse(await mcp('deploy --env production --json'))
  // Sessions of the legacy protocol era would stay with their release.
  const options = { versionNegotiation: { mode: 'auto' as const } }
  const client = new Client({ name: 'first-client', version: '1.0.0' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const callFromClient = async (text: string) =>
    (await client.callTool({ name: 'add_note', arguments: { text } })).structuredContent
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add_note'])
  expect(await callFromClient('a')).toEqual(signed('first-key', 'a'))

  writeFileSync(join(folder, 'tools/add_note.ts'), tool('value.toUpperCase()'))
  await mcp('env set SIGNING_KEY --env production', 'second-key')
  await mcp('deploy --env production --message Louder')
  expect(await callFromClient('b')).toEqual(signed('second-key', 'A', 'B'))
  const { items } = JSON.parse(await mcp('releases --env production --json')) as { items: ReleaseRecord[] }
  expect(items).toMatchObject([{ version: 2, message: 'Louder' }, { version: 1 }])

  expect(await mcp('rollback --env production --yes')).toContain('SIGNING_KEY has its previous value again')
  expect(await callFromClient('c')).toEqual(signed('first-key', 'a', 'b', 'c'))
  expect(await call('d', 'production')).toEqual(signed('first-key', 'a', 'b', 'c', 'd'))

  await mcp('remove notes --yes')
  await expect(callFromClient('e')).rejects.toThrow()
  expect((await home.mcp(['status', 'notes'])).code).toBe(4)
  await client.close()
})
