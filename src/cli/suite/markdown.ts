import type { SuiteOutcome } from '../../shared/suite/outcome.ts'
import { formatByK, matrixOf, notesOf, summaryText } from './report.ts'

/** Summary for a pull request or a CI job. */
export function toMarkdown(suite: SuiteOutcome): string {
  const title = `${{ passed: '✅', failed: '❌', error: '⚠️' }[suite.status]} ${suite.name ?? suite.server}`
  const { headers, rows } = matrixOf(suite)
  const repeated = suite.cases.filter(({ runs }) => runs.length > 1)
  const bad = suite.cases.filter(({ status }) => status !== 'passed')
  return [
    `## ${escapeCell(title)}`,
    '',
    summaryText(suite),
    '',
    ...table(headers, rows),
    ...(repeated.length > 0
      ? [
          '',
          ...table(
            ['Case', 'Model', 'pass@k', 'pass^k'],
            repeated.map(one => [one.name, one.model, formatByK(one.pass_at), formatByK(one.pass_all)]),
          ),
        ]
      : []),
    ...bad.flatMap(one => [
      '',
      `### ${escapeCell(`${one.name} (${one.model})`)}`,
      '',
      ...notesOf(one.runs).map(note => `- ${escapeCell(note)}`),
    ]),
    '',
  ].join('\n')
}

function table(headers: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map(escapeCell).join(' | ')} |`
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)]
}

/** Escapes text from models and servers. */
function escapeCell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|]/g, '\\$&')
}
