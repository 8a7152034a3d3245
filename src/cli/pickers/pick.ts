import { printable } from '../../shared/format/printable.ts'
import type { Choice } from '../choices/choice.ts'
import { openPrompts } from '../output/prompt.ts'

/** Space for the pointer and the margin of a list. */
const MARGIN = 4
const PAGE_SIZE = 12

/** Asks for one of the values at a terminal. A value can also be chosen by its number, or by any part of its name. */
export async function pick(message: string, choices: readonly Choice[], value?: string): Promise<string> {
  const prompt = await openPrompts()
  const rows = toRows(choices)
  const { picked } = await prompt([
    {
      type: 'search',
      name: 'picked',
      message: printable(message),
      pageSize: PAGE_SIZE,
      source: (term: string | undefined) => matchingRows(rows, term),
      ...(value !== undefined && { default: value }),
    },
  ])
  return picked
}

export interface Row {
  value: string
  label: string
  name: string
  short: string
  doc: string
}

/** Rows of the list. Names come from servers and must not control the terminal. */
export function toRows(choices: readonly Choice[]): Row[] {
  const width = Math.max(...choices.map(({ value, label = value }) => label.length))
  const digits = String(choices.length).length
  return choices.map(({ value, label = value, doc = '' }, index) => {
    const number = String(index + 1).padStart(digits)
    return {
      value,
      label,
      short: printable(label),
      name: shorten(printable(`${number}  ${label.padEnd(width)}  ${doc}`.trimEnd())),
      doc,
    }
  })
}

function shorten(text: string): string {
  const columns = (process.stderr.columns || 80) - MARGIN
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text
}

/** Best matches first. */
function matchingRows(rows: readonly Row[], term = ''): Row[] {
  const text = term.trim().toLowerCase()
  const rank = ({ label, name, doc }: Row, index: number): number => {
    const own = label.toLowerCase()
    if (own === text || name.toLowerCase() === text) return 0
    if (String(index + 1) === text) return 1
    if (own.startsWith(text)) return 2
    if (own.includes(text)) return 3
    return doc.toLowerCase().includes(text) ? 4 : Infinity
  }
  return rows
    .map((row, index) => ({ row, rank: text === '' ? 0 : rank(row, index) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ row }) => row)
}
