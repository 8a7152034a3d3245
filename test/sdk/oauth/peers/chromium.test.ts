import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../../../helpers/clients/chromium.ts'
import { close, listen } from '../support/identity-provider.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

const SUITE = fileURLToPath(new URL('../../../../node_modules/.bin/conformance', import.meta.url))
const NAME = 'A <b>bold</b> client'

// Behaviour of the consent page that needs a real browser.
describe.runIf(CHROMIUM !== undefined)('in Chromium', () => {
  let browser: Browser
  let mounted: Mounted
  beforeAll(async () => {
    browser = await launchChromium()
    mounted = await mountAuthorizationServer({
      clients: [{ client_id: 'tool', client_name: NAME, redirect_uris: [CALLBACK] }],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await mounted?.[Symbol.asyncDispose]()
  })

  it('both scenarios of the MCP conformance suite pass, with and without JavaScript', async () => {
    const outputs = await Promise.all([true, false].map(javaScript => runSuite(javaScript)))
    for (const output of outputs) expect(output).toMatch(/Total: 3 passed, 0 failed/)
  })

  it('another site cannot show the consent page in a frame', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const search = new URLSearchParams({
      response_type: 'code',
      client_id: 'tool',
      redirect_uri: CALLBACK,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const refusal = page.waitForEvent('console', message => message.text().includes("frame-ancestors 'none'"))
    const address = `${mounted.issuer}/oauth/authorize?${search}`.replaceAll('&', '&amp;')
    await page.setContent(`<iframe src="${address}"></iframe>`)
    await refusal
    const shown = await Promise.all(page.frames().map(frame => frame.getByRole('button').count()))
    expect(shown).toEqual(shown.map(() => 0))
    await context.close()
  })

  async function runSuite(javaScriptEnabled: boolean): Promise<string> {
    const port = String(await freePort())
    const options = ['--url', mounted.issuer, '--client-id', 'tool', '--port', port]
    const suite = spawn(process.execPath, [SUITE, 'authorization', ...options])
    let output = ''
    let clicks: Promise<void> | undefined
    for (const stream of [suite.stdout, suite.stderr])
      stream.on('data', chunk => {
        output += chunk
        const url = new RegExp(`${mounted.issuer}/oauth/authorize\\?\\S+(?=\\s)`).exec(output)?.[0]
        if (url) clicks ??= clickThrough(url, javaScriptEnabled)
      })
    await once(suite, 'close')
    await clicks
    return output
  }

  async function clickThrough(url: string, javaScriptEnabled: boolean): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(url)
    expect(await page.getByRole('heading').textContent()).toBe(`${NAME} wants to sign you in`)
    await page.getByRole('button', { name: 'Continue with Example idp' }).click()
    await page.waitForURL('http://127.0.0.1:*/callback?code=*')
    await context.close()
  }
})

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}
