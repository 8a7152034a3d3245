import { readFileSync, writeFileSync } from 'node:fs'
import type { OpenApiClient } from './openapi-client.ts'

const REFERENCE = new URL('../../docs/reports/api-coverage.md', import.meta.url)

/** One row per operation: the tests that saw its statuses. */
export function proofTable({ operations, seen }: OpenApiClient): string {
  const rows = operations.map(({ method, path, spec }) => {
    const proofs = [...seen]
      .filter(([label]) => label.startsWith(`${spec.operationId} `))
      .map(([label, test]) => ({ status: label.split(' ')[1]!, test }))
      .toSorted((a, b) => a.status.localeCompare(b.status))
    const byTest = Map.groupBy(proofs, ({ test }) => test)
    const cells = [...byTest].map(([test, answers]) =>
      cellOf(
        test,
        answers.map(({ status }) => status),
      ),
    )
    return `| \`${method} ${path}\` | ${cells.join('<br>')} |\n`
  })
  return `| operation | status: test |\n|---|---|\n${rows.join('')}`
}

function cellOf(test: string, statuses: string[]): string {
  return statuses.length === 1 && test.startsWith(statuses[0]!) ? test : `${statuses.join(', ')}: ${test}`
}

/** The coverage report. With `UPDATE_DOCS=1`, first writes the table between the comments of that name. */
export function referenceWith(name: 'answers' | 'states', table: string): string {
  const text = readFileSync(REFERENCE, 'utf8')
  if (!process.env.UPDATE_DOCS) return text
  const section = new RegExp(`(<!-- ${name}: made by test/contracts -->\n\n)[\\s\\S]*?(\n<!-- end -->)`)
  const updated = text.replace(section, (_all, begin, end) => begin + table + end)
  writeFileSync(REFERENCE, updated)
  return updated
}
