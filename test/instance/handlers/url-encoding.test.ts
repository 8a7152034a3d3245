import { expect, test } from 'vitest'
import { encodeCallerValues } from '../../../src/instance/handlers/http/url-check.ts'
import { loadLiquid } from '../../../src/instance/handlers/load.ts'

async function render(source: string, args: Record<string, unknown>): Promise<string> {
  const templates = await loadLiquid()
  const scope = { ...args, args, data: {}, env: { API: 'https://api.example.com/v1' }, context: {} }
  return templates.compileText(encodeCallerValues(source))(new templates.Rendering(scope))
}

test.each([
  [
    'https://x.example/users/{{ id }}',
    { id: 'a b/c?d=1#e' },
    'https://x.example/users/a%20b%2Fc%3Fd%3D1%23e',
  ],
  ['{{ env.API }}/users/{{ id | upcase }}', { id: 'a&b' }, 'https://api.example.com/v1/users/A%26B'],
  ['https://x.example?name={{ id }}&all=0', { id: 'x&all=1' }, 'https://x.example?name=x%26all%3D1&all=0'],
  ['https://x.example/{% if id %}users/{{ id }}{% endif %}', { id: '?' }, 'https://x.example/users/%3F'],
])('%s keeps %j inside its part of the URL', async (source, args, url) => {
  expect(await render(source, args)).toBe(url)
})

test.each([
  ['https://x.example/{{ id | url_encode }}', { id: 'a b' }, 'https://x.example/a+b'],
  ['https://x.example/{{ path | raw }}', { path: 'a/b' }, 'https://x.example/a/b'],
  ['https://x.example{{ path }}', { path: '/a/b' }, 'https://x.example/a/b'],
  ['{{ url }}', { url: 'https://y.example/?q=1' }, 'https://y.example/?q=1'],
  ['{{ env.API }}/users', {}, 'https://api.example.com/v1/users'],
])('%s is rendered without additional encoding', async (source, args, url) => {
  expect(await render(source, args)).toBe(url)
})
