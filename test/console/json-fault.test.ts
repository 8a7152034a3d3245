import { afterEach, expect, test, vi } from 'vitest'
import { jsonFault } from '../../src/console/components/json-editor/json-fault.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a fault has the position that the parser reports, and none if the parser reports none', () => {
  const text = '{\n  "a": 1,\n  oops\n}'
  expect(jsonFault(text)).toEqual({ message: expect.any(String), position: text.indexOf('oops') })
  expect(jsonFault('{"a": oops}')).toEqual({ message: expect.any(String), position: undefined })
})

test('the position of a fault is found from the line and column that Firefox reports', () => {
  const text = '{\n  "a": 1,\n  oops\n}'
  vi.spyOn(JSON, 'parse').mockImplementation(() => {
    throw new SyntaxError(
      'JSON.parse: expected double-quoted property name at line 3 column 3 of the JSON data',
    )
  })
  expect(jsonFault(text)!.position).toBe(text.indexOf('oops'))
})

test('JSON and blank text have no fault', () => {
  expect([' ', '{}', '[1, "two"]'].map(jsonFault)).toEqual([undefined, undefined, undefined])
})
