import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { TABLES } from '../../scripts/mutations/tables.ts'
import { wrongRows } from '../../scripts/mutations/wrong-rows.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(TABLES)(
  'each fault of the table $title takes one piece of code out, beside tests that are there',
  async table => {
    expect(await wrongRows(root, table)).toEqual([])
  },
)

test('docs/proofs.md tells the tables and how many faults each has', () => {
  const page = readFileSync(`${root}docs/proofs.md`, 'utf8')
  const told = [...page.matchAll(/^\| `(\w+)` \|.*\| (\d+) \|$/gm)].map(([, title, count]) => [
    title,
    Number(count),
  ])
  expect(told).toEqual(TABLES.map(({ title, mutations }) => [title, mutations.length]))
})
