import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { browser } from './browser.ts'
import { daemon, useConsole } from './use-console.ts'

const HOST = 'console.mcp-hosting.localhost'

/** Sends a request from a page with the browser's cookies. Returns the status, or 0 if the page may not read it. */
const fetchFrom = (page: Page, url: string, method: string): Promise<number> =>
  page.evaluate(
    `fetch('${url}', { method: '${method}', mode: new URL('${url}').origin === origin ? 'cors' : 'no-cors' }).then(({ status }) => status)`,
  )
const textOf = (page: Page) => page.textContent('body')

describe.runIf(CHROMIUM !== undefined)('the console in Chromium', () => {
  useConsole()
  let context: BrowserContext
  let page: Page
  /** Requests to another program on this machine, which browsers reach under any loopback host name. */
  const received: IncomingMessage[] = []
  const neighbour = createServer((request, response) => {
    received.push(request)
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>neighbour</title>')
  })

  beforeAll(async () => {
    neighbour.listen(0, '127.0.0.1')
    context = await browser.newContext()
    page = await context.newPage()
    const { body } = await daemon.api('POST', '/api/console/links')
    await page.goto(body.url)
  })
  afterAll(async () => {
    await context?.close()
    await new Promise(resolve => neighbour.close(resolve))
  })

  const own = () => `http://${HOST}:${new URL(daemon.url).port}`
  const at = (host: string) => `http://${host}:${(neighbour.address() as AddressInfo).port}/`

  test('the one-time URL signs the browser in and redirects to a URL without a secret', async () => {
    expect(page.url()).toBe(`${own()}/console/`)
    expect(await fetchFrom(page, `${own()}/v1/deploy`, 'GET')).toBe(200)
    expect(await fetchFrom(page, `${own()}/api/projects/prj_none`, 'GET')).toBe(404)
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  test('the cookie is sent to no other host', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'weather.localhost', `x.${HOST}`]) {
      const other = await context.newPage()
      await other.goto(at(host))
      await other.close()
      expect(received.at(-1)!.headers.cookie, host).toBeUndefined()
    }
  })

  test('a page on another port, even on the same host, can change nothing', async () => {
    for (const host of ['127.0.0.1', HOST]) {
      const other = await context.newPage()
      await other.goto(at(host))
      expect(await fetchFrom(other, `${own()}/v1/deploy`, 'POST')).toBe(0)
      await other.setContent(`<form method="post" action="${own()}/api/console/links"><button></form>`)
      await other.click('button')
      await other.waitForURL(`${own()}/**`)
      expect(await textOf(other), host).toMatch(/FORBIDDEN|UNAUTHORIZED/)
      await other.close()
    }
  })

  test('another page cannot sign the browser in', async () => {
    const { body } = await daemon.api('POST', '/api/console/links')
    const fresh = await browser.newContext()
    const other = await fresh.newPage()
    await other.goto(at('127.0.0.1'))
    await other.setContent(`<a href="${body.url}">open</a>`)
    await other.click('a')
    await other.waitForURL(`${own()}/**`)
    expect(await textOf(other)).toContain('This URL was opened by another page')
    expect(await fresh.cookies()).toEqual([])
    await fresh.close()
  })

  test('signing out removes the cookie', async () => {
    const path = `${own()}/api/console/session`
    expect(await fetchFrom(page, path, 'DELETE')).toBe(204)
    expect(await context.cookies(own())).toEqual([])
    expect(await fetchFrom(page, `${own()}/v1/deploy`, 'GET')).toBe(401)
  })
})
