import { expect, test } from 'vitest'
import { SchemaDocument } from '../../../src/console/schema-form/model/schema-document.ts'
import { placeErrors } from '../../../src/console/schema-form/model/server-errors.ts'

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    address: { type: 'object', properties: { zip: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string' } },
    pet: { anyOf: [{ type: 'null' }, { type: 'object', properties: { name: { type: 'string' } } }] },
  },
}
const state = { tags: ['a', 'b'], address: {}, pet: { name: 1 } }
const document = new SchemaDocument(schema)
const zodIssues = [
  { code: 'invalid_type', path: ['address', 'zip'], message: 'Required' },
  { code: 'too_small', path: ['tags', 1], message: 'Too short' },
]

test.each([
  ['this server', 'Invalid arguments: "city" must be a string, not 5', ['/city']],
  ['this server, nested', 'Invalid arguments: "address.zip" is required (string)', ['/address/zip']],
  ['Ajv', 'data/days must be integer', ['/days']],
  ['Ajv, several', 'data/days must be integer, data/tags/1 must be string', ['/days', '/tags/1']],
  ['Ajv, missing', "/address must have required property 'zip'", ['/address/zip']],
  ['zod', `MCP error -32602: Invalid arguments: ${JSON.stringify(zodIssues)}`, ['/address/zip', '/tags/1']],
  [
    'pydantic',
    '2 validation errors for call\ncity\n  Field required [type=missing]\npet.name\n  Input should be a valid string\n',
    ['/city', '/pet/name'],
  ],
  ['a server that names a parameter', 'Unknown value "tags" for parameter city', ['/city']],
  ['a server that names an item', 'The value of `tags[0]` is not allowed', ['/tags/0']],
])('shows an error from %s next to the field that it names', (_name, message, pointers) => {
  const { placed, general } = placeErrors(message, state, document)
  expect([...placed.keys()]).toEqual(pointers)
  expect(general).toBeUndefined()
})

test.each([
  'Something went wrong',
  'Unknown field "planet"',
  'data/tags/7 must be string',
  'Rate limit of /v1/weather exceeded',
  '"__proto__" and "constructor" are not allowed',
])('shows %j above the form', message => {
  expect(placeErrors(message, state, document)).toEqual({ placed: new Map(), general: message })
})

test('each field shows the original message from the server', () => {
  const { placed } = placeErrors(JSON.stringify(zodIssues), state, document)
  expect(placed.get('/tags/1')).toEqual(['Too short'])
  const whole = 'Invalid arguments: "city" must be a string'
  expect(placeErrors(whole, state, document).placed.get('/city')).toEqual([whole])
})
