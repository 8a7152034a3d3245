import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { createEmbeddedModel } from '../../../../src/daemon/agent/embedded/embedded-model.ts'
import { cases, offerOf } from './test-set.ts'

const model = createEmbeddedModel()
const servers = [...new Set(cases.map(({ server }) => server))]

/** Difficult input for scanners: unclosed brackets, repetitions, all kinds of marks. */
const PIECES = [
  "'",
  '"',
  '`',
  '(',
  '[',
  '{',
  '}',
  '1,',
  '1.',
  '-',
  '--',
  '$1,000,',
  '1e9',
  '10^',
  '%',
  ':',
  '://',
  'http://',
  '@',
  'a@b',
  'a.b.',
  '../',
  'and',
  ',',
  'then',
  'of',
  'the',
  'from 1 to 2',
  'next next',
  '2020-',
  '12/12/',
  '3pm',
  'Mr.',
  'A',
  'x^2+',
  'é',
  '日本',
  '😀',
  '\u0000',
  '\ud800',
  '\n\n',
  '“',
  'respectively',
  'first',
  'one',
  'two',
  'million',
  'March',
  'search',
  'Paris,',
]

/** Pseudo-random numbers below `limit`, the same for the same seed. */
function sequence(seed: number): (limit: number) => number {
  // The sequences of small seeds would otherwise all begin with the same number.
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  return limit => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function message(seed: number): string {
  const next = sequence(seed)
  const repeated = next(10) === 0 ? 50 + next(400) : 1
  const parts = Array.from(
    { length: 1 + next(40) },
    () => PIECES[next(PIECES.length)]! + (next(3) === 0 ? '' : ' '),
  )
  const real = next(2) === 0 ? cases[next(cases.length)]!.message : ''
  return `${real} ${parts.join('').repeat(repeated)}`
}

test('random messages are answered, and calls satisfy their schemas', async () => {
  const ajv = new Ajv({ strict: false, formats: { date: true, 'date-time': true, email: true, uri: true } })
  for (let seed = 0; seed < 100; seed++) {
    const offer = offerOf(servers[seed % servers.length]!)
    const text = message(seed)
    const { content } = await model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
      ...offer,
    })
    expect(content.length, `seed ${seed}`).toBeGreaterThan(0)
    for (const part of content) {
      if (part.type !== 'tool-call') continue
      const tool = offer.tools!.find(({ name }) => name === part.toolName) as
        | LanguageModelV4FunctionTool
        | undefined
      const valid = tool === undefined || ajv.validate(tool.inputSchema, JSON.parse(part.input))
      expect(valid, `seed ${seed}: ${part.toolName} ${part.input}: ${ajv.errorsText()}`).toBe(true)
    }
  }
})

test('very long messages are answered', async () => {
  const long = [
    'a '.repeat(200_000),
    '('.repeat(200_000),
    "'a".repeat(100_000),
    '1,'.repeat(100_000),
    'search the web for cats and '.repeat(10_000),
    'x'.repeat(500_000),
    '[1, '.repeat(50_000),
    'Monday '.repeat(50_000),
    'from Paris to Rome, '.repeat(20_000),
  ]
  for (const text of long) {
    for (const server of ['fetch-and-search', 'memory']) {
      const { content } = await model.doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
        ...offerOf(server),
      })
      expect(content.length).toBeGreaterThan(0)
    }
  }
})
