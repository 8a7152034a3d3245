import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../support/browser.ts'
import { close, listen } from '../support/identity-provider.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

const PROGRAM = fileURLToPath(new URL('../../../../node_modules/.bin/conformance', import.meta.url))

let mounted: Mounted
beforeAll(async () => {
  mounted = await mountAuthorizationServer({ clients: [{ client_id: 'tool', redirect_uris: [CALLBACK] }] })
})
afterAll(() => mounted[Symbol.asyncDispose]())

test('passes both scenarios of the MCP conformance suite for authorization servers', async () => {
  const port = await freePort()
  const suite = spawn(process.execPath, [
    PROGRAM,
    'authorization',
    ...['--url', mounted.issuer, '--client-id', 'tool', '--port', String(port)],
  ])
  try {
    const output = collectOutput(suite, url => signIn(url))
    const [code] = await once(suite, 'close')
    expect(code, output()).toBe(0)
    expect(output()).toMatch(/Total: 3 passed, 0 failed/)
  } finally {
    suite.kill()
  }
})

/** Collects the output. The suite prints a URL that a user should visit, and waits. `visit` is called with that URL. */
function collectOutput(suite: ChildProcess, visit: (url: string) => void): () => string {
  let output = ''
  let isVisited = false
  const read = (chunk: Buffer) => {
    output += chunk
    const url = new RegExp(`${mounted.issuer}/oauth/authorize\\?\\S+(?=\\s)`).exec(output)?.[0]
    if (url && !isVisited) visit(url)
    isVisited ||= url !== undefined
  }
  suite.stdout!.on('data', read)
  suite.stderr!.on('data', read)
  return () => output
}

async function signIn(url: string): Promise<void> {
  const browser = createBrowser()
  await browser.submit(await browser.open(url), { provider: 'idp' })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}
