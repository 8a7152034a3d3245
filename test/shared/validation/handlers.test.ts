import { expect, test } from 'vitest'
import { problemsOf, withHandler, withHttp, withTool } from '../../fixtures/definitions.ts'

test.each([
  ['basic', { type: 'http', url: 'https://example.com' }, '"advanced"'],
  ['basic', { type: 'template', text: '', emit: [{ waitMs: 1 }] }, '"advanced"'],
  ['basic', { type: 'module', path: 'a.ts' }, '"custom"'],
  ['advanced', { type: 'module', path: 'a.ts' }, '"custom"'],
])('template %s does not support the handler %j', (template, handler, instead) => {
  expect(problemsOf(withHandler(handler, { template }))[0]).toContain(`set "template": ${instead}`)
})

test.each(['basic', 'advanced', 'custom'])(
  'template %s supports output schemas and declared answers',
  template => {
    const outputSchema = { type: 'object' }
    expect(
      problemsOf(withTool({ outputSchema, handler: { type: 'template', json: {} } }, { template })),
    ).toEqual([])
  },
)

test.each([
  [{ type: 'template' }, 'handler: must have exactly one of "text", "json" and "content"; it has none'],
  [{ type: 'template', text: '', json: 1 }, 'it has "text" and "json"'],
  [
    { type: 'http', url: 'ftp://example.com' },
    'handler.url: "ftp://example.com" is not an http or https URL',
  ],
  [{ type: 'http', url: 'https://me:secret@example.com' }, 'handler.url: contains a user name or password'],
  [{ type: 'module', path: 'a.ts' }, 'handler: needs "source"'],
])('rejects the handler %j', (handler, sentence) => {
  expect(problemsOf(withHandler(handler, { template: 'custom' })).join('\n')).toContain(sentence)
})

test.each([
  [{ body: {} }, 'handler.body: cannot be sent with GET; set "method": "POST"'],
  [{ headers: { 'a b': '' } }, 'handler.headers["a b"]: is not a valid header name'],
  [{ headers: { 'Content-Length': '1' } }, 'cannot be set'],
  [{ headers: { 'X-A': 'a\r\nHost: b' } }, 'handler.headers.X-A: contains a line break'],
  [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'handler.headers.x-a: is a duplicate'],
  [{ result: {} }, 'handler.result: must have exactly one of'],
  [{ method: 'get' }, 'handler.method: "get" is not one of "GET"'],
])('rejects an http handler with %j', (extra, sentence) => {
  expect(problemsOf(withHttp(extra)).join('\n')).toContain(sentence)
})

test('an http handler can use templates in its URL and headers, and the response in its result', () => {
  const handler = {
    type: 'http',
    url: '{{ env.API }}/{{ city | url_encode }}',
    headers: { Authorization: 'Bearer {{ env.API }}' },
    result: { text: '{{ response.status }} {{ response.body.name }}' },
  }
  expect(problemsOf(withHandler(handler, { env: ['API'] }))).toEqual([])
})
