import { expect, test } from 'vitest'
import type { Entry } from '../../src/console/mcp/catalog.ts'
import type { McpConnection } from '../../src/console/mcp/connection.ts'
import type { Params } from '../../src/console/mcp/messages.ts'
import { loadApp } from '../../src/console/views/server/playground/apps/app-source.ts'
import { appUri, isForApps } from '../../src/console/views/server/playground/apps/app-tool.ts'

const URI = 'ui://shop/order'
const TYPE = 'text/html;profile=mcp-app'

function entry(kind: Entry['kind'], source: Params, id = 'show'): Entry {
  return { kind, id, name: id, title: undefined, description: undefined, source }
}

/** Loads the app from a resource with this content. */
function load(content: Params, listed: Params = {}) {
  const request = async () => ({ contents: [content] })
  const catalog = { entries: [entry('resource', listed, URI)], errors: [] }
  const connection = { request } as unknown as McpConnection
  return loadApp({ connection, catalog }, URI, AbortSignal.timeout(5000))
}

test('finds the ui:// URI of the app of a tool, also under the key that drafts used', () => {
  expect(appUri(entry('tool', { _meta: { ui: { resourceUri: URI } } }))).toBe(URI)
  expect(appUri(entry('tool', { _meta: { 'ui/resourceUri': URI } }))).toBe(URI)
  for (const _meta of [undefined, null, {}, { ui: 'x' }, { ui: { resourceUri: 'https://evil.example' } }])
    expect(appUri(entry('tool', { _meta }))).toBeUndefined()
  expect(appUri(entry('resource', { _meta: { ui: { resourceUri: URI } } }))).toBeUndefined()
})

test('apps may call tools, except those that a server reserves for models', () => {
  const visibleTo = (visibility: unknown) => isForApps(entry('tool', { _meta: { ui: { visibility } } }))
  expect([undefined, ['app'], ['model', 'app']].map(visibleTo)).toEqual([true, true, true])
  expect(visibleTo(['model'])).toBe(false)
})

test('loads HTML from text and from Base64', async () => {
  expect((await load({ mimeType: TYPE, text: '<p>é' })).html).toBe('<p>é')
  expect((await load({ mimeType: 'Text/HTML; profile=mcp-app', blob: 'PHA+w6k=' })).html).toBe('<p>é')
})

test.each([
  [{ mimeType: 'text/html', text: 'x' }, 'has the type text/html, not text/html;profile=mcp-app'],
  [{ mimeType: TYPE }, 'has neither text nor Base64'],
  [{ mimeType: TYPE, text: 'x'.repeat(5_000_001) }, 'has 5000001 characters, the limit is 5000000'],
])('rejects a resource that is not an app and says why (%#)', async (content, fault) => {
  await expect(load(content)).rejects.toThrow(fault)
})

test('takes origins from the resource itself, or otherwise from its entry in the list', async () => {
  const meta = (connectDomains: unknown) => ({ _meta: { ui: { csp: { connectDomains } } } })
  const content = { mimeType: TYPE, text: '' }
  const listed = meta(['https://listed.example'])
  expect((await load(content, listed)).origins.connect).toEqual(['https://listed.example'])
  const own = await load({ ...content, ...meta(['https://own.example', 'http://localhost', 7]) }, listed)
  expect(own.origins).toEqual({ connect: ['https://own.example'], resource: [], frame: [], base: [] })
  expect(own.refused).toEqual(['http://localhost'])
  expect((await load({ ...content, ...meta('https://own.example') })).origins.connect).toEqual([])
})
