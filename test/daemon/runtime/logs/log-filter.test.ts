import { expect, test } from 'vitest'
import { matchesFilter } from '../../../../src/daemon/runtime/logs/log-filter.ts'
import { logLine as line } from '../../../helpers/daemon/log-lines.ts'

test.each([
  ['the reason of an error', '"TITLE" is required', ['refused']],
  ['the outcome with its reason', 'add_book error: Invalid', ['refused']],
  ['a reason on several lines', 'required; see the docs', ['refused']],
  ['arguments', 'zebra', ['shown', 'truncated']],
  ['arguments as they are printed', 'add_book {"title":"Zebra"} ok', ['shown']],
  ['the tool of a refused request', 'remove_book', ['unknown host']],
  ['the names of fields', 'requestId', []],
])('grep for %s (%s) finds the lines %j', (_, grep, found) => {
  const call = { stream: 'mcp', method: 'tools/call', tool: 'add_book', requestId: '1' } as const
  const message = 'tools/call add_book'
  const reason = 'Invalid arguments for add_book: "title" is required;\nsee the docs'
  const lines = [
    line(1, message, { ...call, requestId: 'shown', outcome: 'ok', arguments: { title: 'Zebra' } }),
    line(2, message, { ...call, requestId: 'refused', outcome: 'error', reason, arguments: {} }),
    line(3, message, { ...call, requestId: 'truncated', arguments: '{"title":"Zebra… (9 more characters)' }),
    line(4, 'refused with 403', { stream: 'mcp', requestId: 'unknown host', tool: 'remove_book' }),
    line(5, message, { ...call, requestId: 'odd', outcome: 5 as never, reason: {} as never }),
  ]
  const matches = lines.filter(one => matchesFilter(one, { grep }))
  expect(matches.map(({ requestId }) => requestId)).toEqual(found)
})
