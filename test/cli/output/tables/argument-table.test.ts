import { expect, test } from 'vitest'
import { argumentTable } from '../../../../src/cli/output/tables/argument-table.ts'

test('a table of arguments shows types, allowed values and descriptions', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', enum: ['Oslo', 'Lima'], description: 'A known city' },
      days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    },
    required: ['city'],
  }
  expect(argumentTable(schema)).toEqual({
    headers: ['ARGUMENT', 'TYPE', '', 'VALUES', 'DESCRIPTION'],
    rows: [
      ['city', 'string', 'required', 'Oslo, Lima', 'A known city'],
      ['days', 'integer', '', '1 to 7, default 3', ''],
    ],
  })
})

test('a table of arguments leaves out empty columns', () => {
  const schema = { properties: { text: { type: 'string' }, any: true } }
  expect(argumentTable(schema)).toEqual({
    headers: ['ARGUMENT', 'TYPE'],
    rows: [
      ['text', 'string'],
      ['any', 'any'],
    ],
  })
})
