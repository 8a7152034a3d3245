import { expect, test } from 'vitest'
import { toHostingError } from '../../../src/shared/mcp-client/errors.ts'

const URL = 'http://127.0.0.1:20000/mcp'

test('reports an invalid MCP message in a sentence, without the list of issues', () => {
  const issues = JSON.stringify(
    [{ code: 'invalid_union', errors: [[{ expected: 'string' }]], path: [] }],
    null,
    2,
  )
  const { code, message } = toHostingError(new Error(`Version negotiation probe failed: ${issues}`), URL)
  expect(code).toBe('UPSTREAM_FAILED')
  expect(message).toBe(
    `${URL} answered with an error: Version negotiation probe failed: it sent an invalid MCP message`,
  )
})

test('reports the error from a server unchanged', () => {
  const { message } = toHostingError(new Error('the table [1, {"code": 2}] is locked'), URL)
  expect(message).toContain('the table [1, {"code": 2}] is locked')
})

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EAI_AGAIN'])(
  'reports %s as a server that cannot be reached',
  code => {
    const cause = Object.assign(new Error('failed'), { code })
    expect(toHostingError(new TypeError('fetch failed', { cause }), URL)).toMatchObject({
      code: 'UNAVAILABLE',
      message: `${URL} cannot be reached (${code}).`,
    })
  },
)

test('reports a failed fetch without a code with its reason', () => {
  const error = new TypeError('fetch failed', { cause: new Error('bad port') })
  expect(toHostingError(error, URL).message).toBe(`${URL} cannot be reached (bad port).`)
})
