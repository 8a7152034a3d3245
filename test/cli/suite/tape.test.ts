import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openTape, Tape } from '../../../src/cli/suite/tape.ts'
import type { TestResult } from '../../../src/shared/contract/testing/test-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'tape-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'answers.json')

function resultOf(text: string): TestResult {
  const response = { content: [{ type: 'text' as const, text }], finish: 'stop' }
  return {
    ai_response: text,
    tools_used: [],
    resources_accessed: [],
    execution_time: 0,
    success_rate: 1,
    model: 'gpt-5.2',
    recording: [{ digest: 'd', request: 'asked', response }],
  }
}

test('repetitions are recorded separately, and a replay uses the first instead of a missing one', () => {
  const tape = openTape({ record: file, replay: undefined })!
  expect(tape.cassetteFor({ name: 'one' }, 0)).toEqual({ mode: 'record' })
  tape.keep({ name: 'one' }, 0, resultOf('first'))
  tape.keep({ name: 'one' }, 1, resultOf('second'))
  tape.save()
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const played = Tape.load(file)
  const textOf = (run: number) => JSON.stringify(played.cassetteFor({ name: 'one' }, run))
  expect(tape.replay).toBeNull()
  expect(Date.parse(played.replay!.recorded_at!)).toBeGreaterThan(0)
  expect(textOf(0)).toContain('first')
  expect(textOf(1)).toContain('second')
  expect(textOf(2)).toContain('first')
  expect(played.cassetteFor({ name: 'other' }, 0)).toEqual({ mode: 'replay', responses: {} })
})

test('a replay without a model uses the recorded one and writes nothing', () => {
  const before = readFileSync(file, 'utf8')
  const played = Tape.load(file)
  expect(played.withModel({ name: 'one', model: undefined }).model).toBe('gpt-5.2')
  expect(played.withModel({ name: 'one', model: 'embedded' }).model).toBe('embedded')
  played.keep({ name: 'one' }, 0, resultOf('third'))
  played.save()
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a recording without a valid time can be replayed', () => {
  const old = join(folder, 'old.json')
  for (const times of [{}, { recorded_at: 'yesterday' }]) {
    writeFileSync(old, JSON.stringify({ format: 1, entries: [], ...times }))
    expect(Tape.load(old).replay).toEqual({ recorded_at: null })
  }
})

test('rejects a file that is not a recording', () => {
  const other = join(folder, 'other.json')
  writeFileSync(other, '{"entries":[]}')
  expect(() => Tape.load(other)).toThrow('is not a recording')
  expect(() => Tape.load(join(folder, 'none.json'))).toThrow('does not exist')
  expect(openTape({ record: undefined, replay: undefined })).toBeUndefined()
})
