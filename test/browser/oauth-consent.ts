import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../sdk/oauth/support/mounted.ts'

/**
 * What only a real browser can show of the consent page: `npm run test:browser`, with Chromium at `CHROMIUM` or where Debian puts
 * it. The conformance suite is the client, oidc-provider the identity provider; a person's clicks are the only part missing.
 */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const SUITE = fileURLToPath(new URL('../../node_modules/.bin/conformance', import.meta.url))
const NAME = 'A <b>bold</b> client'

if (!existsSync(CHROMIUM))
  throw new Error(`There is no Chromium at ${CHROMIUM}: install it, or set CHROMIUM to its path.`)
// The sandbox needs user namespaces, which containers do not always have.
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
const mounted = await mountAuthorizationServer({
  clients: [{ client_id: 'tool', client_name: NAME, redirect_uris: [CALLBACK] }],
})
try {
  for (const javaScriptEnabled of [true, false]) {
    await passConformance(javaScriptEnabled)
    console.log(`passed: conformance 2 of 2, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`)
  }
  await refuseFraming()
  console.log('passed: the page is not shown in a frame of another site')
} finally {
  await browser.close()
  await mounted[Symbol.asyncDispose]()
}

async function passConformance(javaScriptEnabled: boolean): Promise<void> {
  const port = javaScriptEnabled ? 41231 : 41232
  const options = ['--url', mounted.issuer, '--client-id', 'tool', '--port', String(port)]
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...options])
  let output = ''
  let clicks: Promise<void> | undefined
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.on('data', chunk => {
      output += chunk
      const url = findAuthorizationUrl(mounted, output)
      if (url) clicks ??= clickThrough(browser, url, javaScriptEnabled)
    })
  }
  await once(suite, 'close')
  await clicks
  assert.match(output, /Total: 3 passed, 0 failed/)
}

function findAuthorizationUrl({ issuer }: Mounted, output: string): string | undefined {
  return new RegExp(`${issuer}/oauth/authorize\\?\\S+(?=\\s)`).exec(output)?.[0]
}

async function clickThrough(browser: Browser, url: string, javaScriptEnabled: boolean): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled })
  const page = await context.newPage()
  await page.goto(url)
  assert.equal(await page.getByRole('heading').textContent(), `Allow ${NAME} to sign you in?`)
  await page.getByRole('button', { name: 'Continue with Example idp' }).click()
  await page.waitForURL('http://127.0.0.1:*/callback?code=*')
  await context.close()
}

async function refuseFraming(): Promise<void> {
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
  await page.setContent(
    `<iframe src="${mounted.issuer}/oauth/authorize?${search.toString().replaceAll('&', '&amp;')}"></iframe>`,
  )
  await refusal
  await context.close()
}
