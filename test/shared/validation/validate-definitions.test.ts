import { expect, test } from 'vitest'
import { HostingError } from '../../../src/shared/errors.ts'
import {
  parseBuildRequest,
  validateDefinitions,
} from '../../../src/shared/validation/validate-definitions.ts'
import {
  problemsOf,
  prompt,
  resource,
  server,
  tool,
  withHandler,
  withHttp,
  withPrompt,
  withResource,
  withText,
} from '../../fixtures/definitions.ts'

test('accepts a request with only the fields that the contract requires', () => {
  const contract = {
    name: 'weather',
    template: 'basic',
    tools: [tool],
    resources: [resource],
    prompts: [prompt],
  }
  const request = parseBuildRequest(contract)
  expect(request).toMatchObject(contract)
  expect(request.resources![0]!.mimeType).toBe('application/json')
  expect(problemsOf({ name: 'weather', template: 'basic' })).toEqual([])
})

test('the error contains the first problem in its message and all problems in its details', () => {
  const error = catchError(() => parseBuildRequest({ name: 'weather', template: 'basics', tools: [{}] }))
  expect(error.code).toBe('INVALID_MCP')
  expect(error.message).toBe(
    'The definitions are not valid: template: "basics" is not one of "basic", "advanced", "custom"; did you mean "basic"? (and 3 more)',
  )
  expect(error.details?.split('\n').slice(1)).toEqual([
    'tools[0].name: is required (a string)',
    'tools[0].description: is required (a string)',
    'tools[0].inputSchema: is required (an object)',
  ])
})

test.each([
  ['an array', [], ': must be an object, not an array'],
  ['a number as the name', { name: 1, template: 'basic' }, 'name: must be a string, not 1'],
  [
    'a path as the name',
    { name: '../x', template: 'basic' },
    'name: "../x" is not valid; expected 1 to 63 letters',
  ],
  ['an unknown field', server({ tool: [] }), 'tool: is not a known field; did you mean "tools"?'],
  [
    'an unknown handler',
    withHandler({ type: 'htp' }),
    'tools[0].handler.type: "htp" is not one of "template"',
  ],
  [
    'a misspelled step',
    withHandler({ type: 'template', text: '', emit: [{ logg: {} }] }),
    'emit[0].logg: is not a known field; did you mean "log"?',
  ],
  ['a BigInt from a TypeScript project', server({ data: { population: 10n } }), 'data.population: must be'],
  ['a number out of range', server({ page_size: 0 }), 'page_size: must be at least 1, not 0'],
  ['a bad variable name', server({ env: ['9X'] }), 'env[0]: "9X" is not valid; expected letters'],
])('rejects definitions with %s', (_, input, sentence) => {
  expect(problemsOf(input).join('\n')).toContain(sentence)
})

test('rejects JSON that is nested too deeply or sets a prototype', () => {
  let data: unknown = 1
  for (let depth = 0; depth < 100_000; depth++) data = [data]
  expect(problemsOf(server({ data }))).toEqual([expect.stringMatching(/is nested deeper than 64 levels$/)])
  const polluted = JSON.parse('{"name":"a","template":"basic","data":{"__proto__":{}}}')
  expect(problemsOf(polluted)).toEqual(['data: may not have a field named "__proto__"'])
})

test('rejects duplicate names and URIs', () => {
  const twice = server({
    tools: [tool, tool],
    resources: [resource, resource],
    prompts: [prompt, prompt],
    env: ['A', 'A'],
  })
  expect(problemsOf(twice)).toEqual([
    'tools[1].name: "current" is already the name of tools[0]',
    'resources[1].uri: "weather://cities" is already the uri of resources[0]',
    'prompts[1].name: "letter" is already the name of prompts[0]',
    'env[1].name: "A" is already the name of env[0]',
  ])
})

test('does not validate the entries of a list that is too long', () => {
  const tools = Array.from({ length: 1001 }, () => ({
    ...tool,
    inputSchema: { type: 'nothing' },
  }))
  expect(problemsOf(server({ tools }))).toEqual(['tools: has 1001 entries; the maximum is 1000'])
  const env = Array.from({ length: 1001 }, (_, index) => `NAME_${index}`)
  expect(problemsOf(server({ env }))).toEqual(['env: has 1001 entries; the maximum is 1000'])
})

test('a list can have 1000 entries', () => {
  const tools = Array.from({ length: 1001 }, (_, index) => ({ ...tool, name: `t${index}` }))
  expect(problemsOf(server({ tools }))).toEqual(['tools: has 1001 entries; the maximum is 1000'])
  expect(problemsOf(server({ tools: tools.slice(1) }))).toEqual([])
})

test('validation of any JSON returns a request or problems and never crashes', () => {
  const random = createRandom(7)
  const samples = [
    withHttp({ headers: { a: 'b' } }),
    withText('{{ a }}'),
    withResource({ uri: 'a://{b}' }),
    withPrompt({}),
  ]
  for (let round = 0; round < 500; round++) {
    const input = mutate(structuredClone(samples[round % samples.length]), random)
    const result = validateDefinitions(input)
    expect('request' in result || result.problems.length > 0).toBe(true)
  }
})

/** Replaces random parts of a value with invalid or unusual values. */
function mutate(value: unknown, random: () => number): unknown {
  const invalid = [
    null,
    0,
    -1,
    '',
    '{{',
    '%',
    [],
    {},
    true,
    { type: 'http' },
    '\u0000',
    'a'.repeat(200),
    [[]],
    { $ref: 'x' },
  ]
  if (random() < 0.08) return invalid[Math.floor(random() * invalid.length)]
  if (value === null || typeof value !== 'object') return value
  for (const [key, member] of Object.entries(value))
    (value as Record<string, unknown>)[key] = mutate(member, random)
  return value
}

/** Reproducible random numbers (a linear congruential generator). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  }
}

function catchError(run: () => unknown): HostingError {
  try {
    run()
  } catch (error) {
    if (error instanceof HostingError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
