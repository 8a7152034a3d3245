import { expect, test } from 'vitest'
import { toHostingError } from '../../src/shared/mcp-errors.ts'

const URL = 'http://127.0.0.1:20000/mcp'

test('what is no message of MCP is told in a sentence, without the list of issues', () => {
  const issues = JSON.stringify(
    [{ code: 'invalid_union', errors: [[{ expected: 'string' }]], path: [] }],
    null,
    2,
  )
  const { code, message } = toHostingError(new Error(`Version negotiation probe failed: ${issues}`), URL)
  expect(code).toBe('UPSTREAM_FAILED')
  expect(message).toBe(
    `${URL} answered with an error: Version negotiation probe failed: what it sent is no message of MCP`,
  )
})

test('what a server says of its error is told as it is', () => {
  const { message } = toHostingError(new Error('the table [1, {"code": 2}] is locked'), URL)
  expect(message).toContain('the table [1, {"code": 2}] is locked')
})
