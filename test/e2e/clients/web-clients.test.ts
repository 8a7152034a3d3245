import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../../helpers/clients/chromium.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

const CLIENT = fileURLToPath(new URL('../../fixtures/web/client.js', import.meta.url))

/** A site with MCP clients. Its pages have the origin `http://localhost:<port>`. */
async function startSite(script: string): Promise<{ origin: string; port: number; server: Server }> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/client.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script src="/client.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://localhost:${port}`, port, server }
}

async function bundleClient(): Promise<string> {
  const options = { bundle: true, write: false, platform: 'browser', format: 'iife' } as const
  const { outputFiles } = await build({ ...options, entryPoints: [CLIENT] })
  return outputFiles[0]!.text
}

describe.runIf(CHROMIUM !== undefined)('web pages in Chromium', () => {
  let daemon: TestDaemon
  let browser: Browser
  let site: Awaited<ReturnType<typeof startSite>>
  /** A site whose address the browser treats as public. */
  let publicSite: typeof site
  /** A page on `site`. */
  let page: Page
  let mcpId: string

  beforeAll(async () => {
    const script = await bundleClient()
    ;[daemon, site, publicSite] = await Promise.all([
      startTestDaemon({ namedPorts: { http: 0, https: 0 } }),
      startSite(script),
      startSite(script),
    ])
    browser = await launchChromium({
      args: [`--ip-address-space-overrides=127.0.0.1:${publicSite.port}=public`],
    })
    const { body } = await daemon.api('POST', '/v1/build', {
      body: {
        name: 'web',
        template: 'basic',
        tools: [
          {
            name: 'greet',
            description: 'Greets',
            inputSchema: { type: 'object' },
            handler: { type: 'template', text: 'Hello' },
          },
        ],
      },
    })
    mcpId = body.data.mcp_id
    page = await open(site)
  })
  afterAll(async () => {
    await browser?.close()
    site?.server.close()
    publicSite?.server.close()
    await daemon?.close()
  })

  const deploy = async (environment: string, config: object) => {
    const request = { mcp_id: mcpId, environment, config }
    return (await daemon.api('POST', '/v1/deploy', { body: request })).body.data
  }
  const open = async ({ origin }: typeof site): Promise<Page> => {
    const opened = await (await browser.newContext()).newPage()
    await opened.goto(origin)
    return opened
  }
  const run = (page: Page, name: string, url: string) => page.evaluate(`web.${name}(${JSON.stringify(url)})`)

  it('pages from an allowed origin can use the server in both protocol eras, at its loopback URL and its named URL', async () => {
    const { url, deployment_id } = await deploy('development', {
      origins: [site.origin, publicSite.origin],
    })
    const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
    const named = body.data.named_urls.find((one: string) => one.startsWith('http:'))
    for (const endpoint of [url, named]) {
      expect(await run(page, 'call', endpoint)).toEqual({ tool: 'greet', text: 'Hello', hasSession: false })
      expect(await run(page, 'callOld', endpoint)).toEqual({ tool: 'greet', text: 'Hello', hasSession: true })
    }
  })

  it('a page from a public address can use the server if the user allows access to the local network', async () => {
    const { url } = await deploy('development', { origins: [publicSite.origin] })
    const visitor = await open(publicSite)
    await visitor.context().grantPermissions(['local-network-access'], { origin: publicSite.origin })
    expect(await run(visitor, 'call', url)).toMatchObject({ text: 'Hello' })
  })

  it('pages from other origins cannot use the server', async () => {
    const { url } = await deploy('development', { origins: [publicSite.origin] })
    // A new browser context has no cached preflight response.
    const other = await open(site)
    await expect(run(other, 'callOld', url)).rejects.toThrow('Failed to fetch')
  })

  it('a page signs its user in to a protected server', async () => {
    const { url } = await deploy('staging', { origins: '*', auth: { provider: 'local' } })
    run(page, 'call', url).catch(() => {}) // The page navigates to the sign-in.
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByLabel('API key').fill(daemon.ownerKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${site.origin}/callback?*`)
    await run(page, 'finish', url)
    expect(await run(page, 'call', url)).toMatchObject({ text: 'Hello' })
  })
})
