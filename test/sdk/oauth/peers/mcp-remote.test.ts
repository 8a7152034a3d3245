import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../support/browser.ts'
import type { Mounted } from '../support/mounted.ts'
import { mountProtectedServer } from '../support/protected-server.ts'

const PROGRAM = fileURLToPath(new URL('../../../../node_modules/.bin/mcp-remote', import.meta.url))

let mounted: Mounted
const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
beforeAll(async () => {
  mounted = await mountProtectedServer()
})
afterAll(async () => {
  await mounted[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test('mcp-remote signs a user in, calls a tool, and keeps the token across restarts', async () => {
  expect(await callThroughRemote()).toEqual({ answer: 'forty-two', visits: 1 })
  expect(await callThroughRemote()).toEqual({ answer: 'forty-two', visits: 0 })
})

async function callThroughRemote(): Promise<{ answer: string | undefined; visits: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, `${mounted.issuer}/mcp`, '--allow-http', '--transport', 'http-only'],
    // With an empty PATH, no program can open a window.
    env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, PATH: '' },
    stderr: 'pipe',
  })
  let output = ''
  let visits = 0
  transport.stderr!.on('data', (chunk: Buffer) => {
    output += chunk
    const url = new RegExp(`${mounted.issuer}/oauth/authorize\\?\\S+(?=\\s)`).exec(output)?.[0]
    if (url === undefined || visits > 0) return
    visits += 1
    void signIn(url)
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  try {
    await client.connect(transport)
    const { content } = await client.callTool({ name: 'secret', arguments: {} })
    return { answer: (content as { text?: string }[])[0]?.text, visits }
  } catch (error) {
    throw new Error(`mcp-remote said:\n${output}`, { cause: error })
  } finally {
    await client.close()
  }
}

async function signIn(url: string): Promise<void> {
  const browser = createBrowser()
  await browser.submit(await browser.open(url), { provider: 'idp' })
}
