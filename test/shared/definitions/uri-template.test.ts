import { describe, expect, test } from 'vitest'
import { parseUriTemplate } from '../../../src/shared/definitions/uri-template.ts'

const match = (template: string, uri: string) => parseUriTemplate(template).match(uri)

describe('reads the variables of a URI', () => {
  test.each([
    ['weather://{city}/now', 'weather://Berlin/now', { city: 'Berlin' }],
    ['weather://{city}/now', 'weather://S%C3%A3o%20Paulo/now', { city: 'São Paulo' }],
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['docs://page{#section}', 'docs://page#intro', { section: 'intro' }],
    ['repo://{owner}/{name}', 'repo://a/b', { owner: 'a', name: 'b' }],
    ['point://{x,y}', 'point://1,2', { x: '1', y: '2' }],
    ['tree://root{/path*}', 'tree://root/a/b', { path: ['a', 'b'] }],
    ['file://report{.ext}', 'file://report.pdf', { ext: 'pdf' }],
    ['search://items{?q,limit}', 'search://items?q=a%20b&limit=5', { q: 'a b', limit: '5' }],
    ['search://items{?q,limit}', 'search://items', {}],
    ['search://items{?tag*}', 'search://items?tag=a&tag=b', { tag: ['a', 'b'] }],
    ['api://v1?fixed=1{&q}', 'api://v1?fixed=1&q=x', { q: 'x' }],
    ['x://a.b/{id}', 'x://a.b/50%', { id: '50%' }],
    ['file://{name}.json', 'file://a.b.json', { name: 'a.b' }],
    ['log://{year}-{month}-{day}', 'log://2026-02-03', { year: '2026', month: '02', day: '03' }],
    ['file://report{.tags*}', 'file://report.a.b', { tags: ['a', 'b'] }],
    ['list://{ids*}', 'list://1,2,3', { ids: ['1', '2', '3'] }],
    ['search://items{?q}{&limit}', 'search://items?q=a&limit=5', { q: 'a', limit: '5' }],
    ['file:///{+path}{?raw}', 'file:///a/b?raw=1', { path: 'a/b', raw: '1' }],
    ['x://y{?constructor,toString}', 'x://y?constructor=1&toString=2', { constructor: '1', toString: '2' }],
  ])('the template %s reads the variables of %s', (template, uri, variables) => {
    expect(match(template, uri)).toEqual(variables)
  })
})

describe('does not match a URI that the template cannot produce', () => {
  test.each([
    ['weather://{city}/now', 'weather://a/b/now'],
    ['weather://{city}/now', 'weather:///now'],
    ['x://a.b/{id}', 'x://aXb/1'],
    ['search://items{?q}', 'search://items?other=1'],
    ['weather://{city}', 'WEATHER://x'],
    ['tree://root{/path*}', 'tree://root/a//b'],
    ['list://{ids*}', 'list://1,,3'],
    ['weather://{city}', 'weather://a?b=c'],
  ])('the template %s does not match %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })
})

describe('rejects a template that cannot be read back, with the reason', () => {
  test.each([
    ['a://{b', /never closed/],
    ['a://b}', /without a "\{"/],
    ['a://{b:3}', /prefix length/],
    ['a://{;b}', /not one of/],
    ['a://{b c}', /not a variable name/],
    ['a://{}', /not a variable name/],
    ['a://{b}{c}', /nothing between/],
    ['a://{b}/{b}', /twice/],
    ['a://{?q}/x', /must end with its query/],
    ['a://{+b}/x/{+c}', /more than one/],
  ])('rejects the URI template %s', (template, reason) => {
    expect(() => parseUriTemplate(template)).toThrow(reason)
  })
})

test('does not match URIs that are too long', () => {
  expect(match('a://{b}-{c}-{d}', `a://${'-'.repeat(100_000)}`)).toBeUndefined()
})

test('quickly matches or rejects a URI with very many possible readings', () => {
  const template = 'a://{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}'
  expect(match(template, `a://${'-'.repeat(2000)}/`)).toBeUndefined()
  expect(match(template, `a://${'-'.repeat(2000)}`)).toMatchObject({ a: '-', g: '-' })
})
