import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tarGz } from '../../helpers/archives.ts'
import { createHome, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
let folder: string

beforeEach(() => {
  home = createHome()
  folder = mkdtempSync(join(tmpdir(), 'mcp-full-'))
})

afterEach(() => {
  rmSync(home.dir, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

const SOURCE = tarGz([
  {
    name: 'mcp.config.json',
    content: JSON.stringify({
      name: 'small',
      template: 'basic',
      tools: [{ name: 'hi', description: 'Greets', inputSchema: { type: 'object' } }],
    }),
  },
])

/**
 * Calls the API of a daemon whose home is a disk of eight megabytes, which a single image fills. Runs in the daemon's mount
 * namespace, so that no other process sees that disk. Prints its observations as JSON.
 */
const CLIENT = `
import { readdirSync, readFileSync, rmSync, writeFileSync, openSync, writeSync, closeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const home = process.env.MCP_HOME
const { url } = JSON.parse(readFileSync(home + '/daemon.json'))
const key = JSON.parse(readFileSync(home + '/credentials.json')).contexts.local.apiKey
const api = async (method, path, body, type = 'application/json') => {
  const response = await fetch(url + path, { method, headers: { authorization: 'Bearer ' + key, ...(body && { 'content-type': type }) }, ...(body && { body }) })
  return { status: response.status, body: await response.json() }
}
const ended = async id => {
  for (;;) {
    const { body } = await api('GET', '/api/lambda-builds/' + id)
    if (body.endTime !== '') return body
    await wait(50)
  }
}
const fill = () => {
  const file = openSync(home + '/filler', 'w')
  try { for (;;) writeSync(file, Buffer.alloc(4096)) } catch (error) { if (error.code !== 'ENOSPC') throw error }
  closeSync(file)
}
const source = readFileSync(process.argv[2])
const { body: project } = await api('POST', '/api/projects', JSON.stringify({ name: 'full' }))
await api('PUT', '/api/projects/' + project.id + '/source', source, 'application/gzip')
const trigger = () => api('POST', '/api/lambda-builds/trigger/' + project.id)
const tooLarge = await ended((await trigger()).body.id)
const log = (await api('GET', '/api/lambda-builds/' + tooLarge.id + '/logs')).body.lines.at(-1)
const left = readdirSync(home + '/images/blobs/sha256')
fill()
const upload = await api('PUT', '/api/projects/' + project.id + '/source', Buffer.concat([source, Buffer.alloc(65536)]), 'application/gzip')
const refused = await trigger()
const list = await api('GET', '/api/lambda-builds')
rmSync(home + '/filler')
const again = await trigger()
const afterwards = await ended(again.body.id)
console.log(JSON.stringify({ tooLarge, log, left, upload, refused, list: list.status, again: again.status, afterwards }))
`

test('a build whose image does not fit fails with a clear message, and a full disk rejects uploads and builds until there is space', async () => {
  writeFileSync(join(folder, 'client.mjs'), CLIENT)
  writeFileSync(join(folder, 'source.tar.gz'), SOURCE)
  const flags = process.getuid?.() === 0 ? ['-m'] : ['-r', '-m']
  const script = `mount -t tmpfs -o size=8m tmpfs "$MCP_HOME" || exit 90
    $NODE ${MCP_BIN} daemon start --json > /dev/null || exit 91
    $NODE ${join(folder, 'client.mjs')} ${join(folder, 'source.tar.gz')}; code=$?
    $NODE ${MCP_BIN} daemon stop > /dev/null || exit 92
    exit $code`
  const env = { ...home.env, NODE: process.execPath }
  const { code, stdout, stderr } = await runToEnd('unshare', [...flags, 'sh', '-c', script], { env })
  expect([code, stderr]).toEqual([0, ''])
  const seen = JSON.parse(stdout)
  expect(seen.tooLarge).toMatchObject({
    status: 'failed',
    currentPhase: 'COMPLETED',
    errorMessage: expect.stringContaining('The disk is full'),
  })
  expect(seen.log).toMatchObject({ phase: 'COMPLETED', message: expect.stringContaining('The disk is full') })
  expect(seen.left).toEqual([])
  for (const { status, body } of [seen.upload, seen.refused]) {
    expect([status, body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(body.error.message).toContain('full')
  }
  expect(seen.list).toBe(200)
  expect(seen.again).toBe(201)
  expect(seen.afterwards.status).toBe('failed')
})
