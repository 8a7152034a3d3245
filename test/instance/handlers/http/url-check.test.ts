import { describe, expect, test } from 'vitest'
import { createUrlCheck } from '../../../../src/instance/handlers/http/url-check.ts'
import { loadLiquid } from '../../../../src/instance/handlers/load.ts'
import type { Scope } from '../../../../src/instance/handlers/templates/scope.ts'

const ENV = { API: 'https://api.example.com/v1', HOST: 'api.example.com' }

async function check(source: string, args: Record<string, unknown> = {}): Promise<string> {
  const templates = await loadLiquid()
  const template = templates.compileText(source)
  const scope: Scope = { ...args, args, data: {}, env: ENV, context: {} }
  return createUrlCheck(source, template, templates)(template(new templates.Rendering(scope)), scope).href
}

describe('accepts URLs that stay within the path and host of their template', () => {
  test.each([
    ['https://api.example.com/{{ id }}', { id: 'a b' }, 'https://api.example.com/a%20b'],
    ['{{ env.API }}/{{ id }}?x={{ x }}', { id: '1', x: '../y' }, 'https://api.example.com/v1/1?x=../y'],
    ['https://{{ env.HOST }}{{ path }}', { path: '/x' }, 'https://api.example.com/x'],
    ['https://{{ region }}.example.com/', { region: 'eu-1' }, 'https://eu-1.example.com/'],
    ['https://{{ region }}.{{ env.HOST }}/', { region: 'eu' }, 'https://eu.api.example.com/'],
    ['https://{{ env.HOST }}:{{ port }}/', { port: 8443 }, 'https://api.example.com:8443/'],
    ['http://node{{ n }}/x', { n: 3 }, 'http://node3/x'],
    ['{{ url }}', { url: 'http://anything.example/x' }, 'http://anything.example/x'],
    ['{{ env.API }}/../v2/{{ id }}', { id: '1' }, 'https://api.example.com/v2/1'],
  ])('accepts the URL template %s', async (source, args, href) => {
    expect(await check(source, args)).toBe(href)
  })
})

describe('rejects URLs whose arguments would change the destination', () => {
  test.each([
    ['https://api.example.com{{ path }}', { path: '.evil.example/' }],
    ['https://api.example.com{{ path }}', { path: '@evil.example/' }],
    ['https://api.example.com{{ path }}', { path: ':8443/' }],
    // `.community` is a different top-level domain.
    ['https://api.example.com{{ path }}', { path: 'munity/' }],
    ['https://{{ env.HOST }}{{ path }}', { path: 'munity/' }],
    ['https://{{ env.HOST }}{{ path }}', { path: '@evil.example/' }],
    ['https://{{ region }}.{{ env.HOST }}/', { region: 'evil.example/' }],
    ['https://api.example.com/a/{{ id }}', { id: '..;/admin' }],
    ['https://{{ region }}.example.com/', { region: 'evil.example/' }],
    ['https://{{ region }}.example.com/', { region: 'evil.example#' }],
    ['{{ env.API }}{{ path }}', { path: '/../../admin' }],
    ['https://{{ region }}.example.com/', { region: 'user:pass@x' }],
    ['https://api.example.com/a/{{ id }}', { id: '..' }],
    ['https://api.example.com/a/{{ id }}', { id: 'x%2f..%2fadmin' }],
    ['https://api.example.com/a/{{ id }}/b', { id: '%2e%2E' }],
    ['https://api.example.com/a/{{ id }}', { id: '..\\..\\x' }],
  ])('rejects the URL template %s with %j', async (source, args) => {
    await expect(check(source, args)).rejects.toThrow(/change the host|outside the path|not valid/)
  })
})

test('rejects invalid URLs, and schemes other than http and https', async () => {
  await expect(check('{{ url }}', { url: 'file:///etc/passwd' })).rejects.toThrow(/only http and https/)
  await expect(check('{{ url }}', { url: 'nowhere' })).rejects.toThrow(/not valid/)
})
