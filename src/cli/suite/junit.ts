import type { CaseOutcome, SuiteOutcome } from '../../shared/suite/outcome.ts'
import { notesOf } from './report.ts'

/** JUnit XML for CI: a `testsuite` per model, `failure` for a failed case, `error` for one that could not be judged. */
export function toJUnit(suite: SuiteOutcome): string {
  const name = suite.name ?? suite.server
  const suites = suite.models.map(model => {
    const cases = suite.cases.filter(one => one.model === model)
    const attributes = { name: `${name} (${model})`, ...counts(cases) }
    return `  <testsuite${attributesOf(attributes)}>\n${cases.map(one => testCase(name, one)).join('')}  </testsuite>\n`
  })
  const head = `<testsuites${attributesOf({ name, ...counts(suite.cases) })}>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join('')}</testsuites>\n`
}

function counts(cases: readonly CaseOutcome[]) {
  const count = (status: CaseOutcome['status']) => cases.filter(one => one.status === status).length
  const time = cases.reduce((sum, one) => sum + secondsOf(one), 0).toFixed(3)
  return { tests: cases.length, failures: count('failed'), errors: count('error'), skipped: 0, time }
}

function testCase(suite: string, one: CaseOutcome): string {
  const open = `    <testcase${attributesOf({ name: one.name, classname: `${suite}.${one.model}`, time: secondsOf(one).toFixed(3) })}`
  if (one.status === 'passed') return `${open}/>\n`
  const notes = notesOf(one.runs)
  const tag = one.status === 'failed' ? 'failure' : 'error'
  const body = [...notes, '', ...one.runs.map(run => `reply: ${run.reply}`)].join('\n')
  return `${open}>\n      <${tag}${attributesOf({ message: notes[0] ?? '' })}>${escapeXml(body)}</${tag}>\n    </testcase>\n`
}

function secondsOf({ runs }: CaseOutcome): number {
  return runs.reduce((sum, run) => sum + run.seconds, 0)
}

function attributesOf(attributes: Record<string, string | number>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Also replaces characters that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets) with question marks. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '?')
    .replace(/[&<>"\n]/g, letter => ENTITIES[letter]!)
}
