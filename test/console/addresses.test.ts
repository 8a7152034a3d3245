import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { linePoints } from '../../src/console/components/figures/sparkline.tsx'
import { matchPath } from '../../src/console/router/match-path.ts'
import { serverPath } from '../../src/console/views/paths.ts'
import { entryText } from '../../src/console/views/server/overview/client-entry.ts'
import { CLIENT_FORMATS } from '../../src/shared/client-formats.ts'

test('the path of a view contains the encoded server name and the environment, and its pattern decodes the name', () => {
  expect(serverPath('a b', '/logs', 'staging')).toBe('/servers/a%20b/logs?env=staging')
  expect(matchPath('/servers/:name/logs', '/servers/a%20b/logs')).toEqual({ name: 'a b' })
  expect(matchPath('/servers/:name', '/servers/a/logs')).toBeUndefined()
  expect(matchPath('/servers/:name', '/servers/')).toBeUndefined()
})

test('a URL with a malformed escape matches no view', () => {
  expect(matchPath('/servers/:name', '/servers/%E0%A4%A')).toBeUndefined()
})

test('the entry for every client can be parsed and contains the URL', () => {
  const server = { name: 'my.server', url: 'http://127.0.0.1:23232/mcp' }
  for (const client of CLIENT_FORMATS) {
    const text = entryText(client, server)
    const document = client.format === 'json' ? JSON.parse(text) : parse(text)
    expect(document, client.id).toEqual({ [client.key]: { 'my.server': client.entry(server.url) } })
  }
})

test('a sparkline ends at the right edge and is scaled to its maximum', () => {
  expect(linePoints([0, 5, 10], 3)).toBe('0,16 32,8 64,0')
  expect(linePoints([1, 1], 3)).toBe('32,0 64,0')
  expect(linePoints([0, 0], 2)).toBe('0,16 64,16')
})
