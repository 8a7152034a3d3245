import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadProject } from '../../../src/cli/project/project.ts'
import { toJUnit } from '../../../src/cli/suite/junit.ts'
import { loadPrices } from '../../../src/cli/suite/load-prices.ts'
import { loadProjectSuite, loadSuite } from '../../../src/cli/suite/load-suite.ts'
import { toMarkdown } from '../../../src/cli/suite/markdown.ts'
import { concludeCase, concludeSuite, type RunOutcome } from '../../../src/shared/suite/outcome.ts'
import { costOf } from '../../../src/shared/suite/prices.ts'

const folder = mkdtempSync(join(tmpdir(), 'suite-'))
afterAll(() => rmSync(folder, { recursive: true }))

const RUN: RunOutcome = {
  status: 'failed',
  failures: ['the reply does not match /<b>&"\u0007|/'],
  error: null,
  model: 'embedded',
  reply: 'said | so',
  tools_used: [],
  resources_accessed: [],
  success_rate: 1,
  seconds: 0.25,
  usage: null,
  cost: null,
  chat_id: null,
  replay: null,
}

const suite = concludeSuite({ name: 'a & b', server: 's', threshold: 1, seconds: 1 }, [
  concludeCase('fails <once>', 'embedded', 1, [RUN]),
  concludeCase('passes', 'embedded', 1, [{ ...RUN, status: 'passed', failures: [] }]),
  concludeCase('errs', 'embedded', 1, [
    { ...RUN, status: 'error', failures: [], error: { code: 'UNAVAILABLE', message: 'gone', details: '' } },
  ]),
])

test('a JUnit report separates failures from errors and escapes text', () => {
  const xml = toJUnit(suite)
  expect(xml).toContain(
    '<testsuites name="a &amp; b" tests="3" failures="1" errors="1" skipped="0" time="0.750">',
  )
  expect(xml).toContain('<testcase name="passes" classname="a &amp; b.embedded" time="0.250"/>')
  expect(xml).toContain('<failure message="the reply does not match /&lt;b&gt;&amp;&quot;?|/">')
  expect(xml).toContain('<error message="gone">')
})

test('a Markdown summary escapes all text', () => {
  const text = toMarkdown(suite)
  expect(text).toContain('| fails \\<once\\> | failed |')
  expect(text).toContain('1 of 3 cases passed, 1 failed, 1 could not be judged')
  expect(text).toContain('- the reply does not match /\\<b\\>&"')
})

test('an invalid suite is rejected with the line and column of every problem, and a missing suite by name', async () => {
  const file = join(folder, 'tests.yaml')
  writeFileSync(
    file,
    'repeat: three\ncases:\n  - message: a\n    expect: { tool: [x], reply: { pattern: "(" } }\n  - { mesage: x }\n',
  )
  await expect(loadSuite(file)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    details: expect.stringMatching(
      /^tests\.yaml:1:9 repeat: must be a number, not "three"\n[\s\S]*tests\.yaml:4:\d+ cases\[0\]\.expect\.tool: is not a known field; did you mean "tools"\?[\s\S]*cases\[1\]\.mesage: [\s\S]*"message"\?\n[\s\S]*cases\[1\]: needs either/,
    ),
  })
  writeFileSync(file, 'cases: [')
  await expect(loadSuite(file)).rejects.toMatchObject({
    details: expect.stringMatching(/^tests\.yaml:1:9 Flow sequence/),
  })
  const project = join(folder, 'mcp.config.json')
  const suite = '{\n "cases": [\n  { "message": "a", "expect": { "tool": ["x"] } }] }'
  writeFileSync(project, `{ "name": "a", "template": "basic", "tools": [],\n "test": ${suite} }`)
  await expect(loadProject(project).then(loadProjectSuite)).rejects.toMatchObject({
    message: expect.stringMatching(/^"test" of mcp\.config\.json is not a valid suite: mcp\.config\.json:4:/),
    details: expect.stringMatching(/^mcp\.config\.json:4:33 cases\[0\]\.expect\.tool: is not a known field/),
  })
  await expect(loadSuite(join(folder, 'none.yaml'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  writeFileSync(project, '{ "name": "a", "template": "basic", "tools": [], "test": "none.yaml" }')
  await expect(loadProject(project).then(loadProjectSuite)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `The suite of the project does not exist: "test" in mcp.config.json names none.yaml (${join(folder, 'none.yaml')}).`,
    next: [
      { description: 'Create the file, or correct "test" in mcp.config.json' },
      { description: 'Or send one message without a suite', command: 'mcp test "…"' },
    ],
  })
})

test('the suite and the answers in the documentation are valid', async () => {
  const page = readFileSync(new URL('../../../docs/testing.md', import.meta.url), 'utf8')
  const [suite, answers] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)
  const file = join(folder, 'documented.yaml')
  writeFileSync(file, `${suite}\n${answers}`)
  expect((await loadSuite(file)).answers?.elicitation).toHaveLength(2)
})

test('costs come from the price table, and prices.json overrides its entries', () => {
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    total_tokens: 0,
    cached_input_tokens: 500_000,
    requests: 1,
  }
  const list = loadPrices(undefined, join(folder, 'none.json'))
  expect(costOf(list, 'claude-sonnet-4-5-20250929', usage)).toBeCloseTo(0.5 * 3 + 0.5 * 0.3 + 0.1 * 15)
  expect(costOf(list, 'gpt-5.2', usage)).toBeCloseTo(0.5 * 1.75 + 0.5 * 0.175 + 0.1 * 14)
  expect(costOf(list, 'embedded', usage)).toBe(0)
  expect(costOf(list, 'unheard-of', usage)).toBeUndefined()
  expect(costOf(list, 'gpt-5-pro', usage)).toBeUndefined()
  const file = join(folder, 'prices.json')
  writeFileSync(file, JSON.stringify({ 'gpt-5.2': { input: 1, output: 1 } }))
  expect(costOf(loadPrices(file, 'unused'), 'gpt-5.2', usage)).toBeCloseTo(1.1)
  writeFileSync(file, '{"gpt-5.2": {"input": "1"}}')
  expect(() => loadPrices(file, 'unused')).toThrow('"gpt-5.2" must be')
  expect(() => loadPrices(join(folder, 'none.json'), 'unused')).toThrow('does not exist')
})
