import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { consolePage, consoleUrl, signInUrl } from '../../../src/cli/targets/console-link.ts'
import { HostingError } from '../../../src/shared/errors.ts'

const CONSOLE_URL = 'http://console.mcp-hosting.localhost:6273/console'
const PAGE = consolePage('my server', 'production')

interface Terminal {
  interactive?: boolean
  terminal?: boolean
  /** Undefined for an API without a console. */
  code?: string
}

/** Context of a command that uses the local daemon. */
function contextOf({ interactive = true, terminal = true, code }: Terminal): CommandContext {
  const post = async () => {
    if (code === undefined) throw new HostingError('NOT_FOUND', 'There is no POST /api/console/links.')
    return { url: `${CONSOLE_URL}/sign-in?code=${code}` }
  }
  const client = { url: 'http://127.0.0.1:6273', post }
  return { output: { interactive, terminal }, api: async () => client } as unknown as CommandContext
}

test('at a terminal, the URL signs a browser in and opens the page', async () => {
  const url = new URL((await signInUrl(contextOf({ code: 'abc' }), PAGE))!)
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'abc', to: PAGE })
})

test.each([
  ['without a terminal', { interactive: false }],
  ['with standard output in a pipe', { terminal: false }],
])('%s, the URL contains no secret', async (_, terminal) => {
  const url = await signInUrl(contextOf({ code: 'abc', ...terminal }), PAGE)
  expect(url).toBe(`${CONSOLE_URL}/servers/my%20server?env=production`)
})

test('an API without a console has no console URL', async () => {
  expect(await signInUrl(contextOf({}), PAGE)).toBeUndefined()
  const client = { url: 'https://mcp.example.com' } as Parameters<typeof consoleUrl>[0]
  expect(consoleUrl(client)).toBeUndefined()
})

test('the page of a preview is its playground', () => {
  expect(consolePage('weather', 'preview')).toBe('/servers/weather/playground?env=preview')
})
