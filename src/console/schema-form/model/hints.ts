import type { ErrorObject } from 'ajv'
import { describeViolation } from '../../../shared/json/violations.ts'
import { check } from '../check/check.ts'
import type { Problem } from '../check/visit.ts'
import type { SchemaDocument } from './schema-document.ts'
import type { State } from './state.ts'

const MAX_LENGTH = 300

/** Messages by JSON pointer of their field. */
export type Notes = ReadonlyMap<string, readonly string[]>

/** Problems that the browser finds, by field. Missing members only with `withMissing`, so that an empty form shows none. */
export function hintsOf(state: State, document: SchemaDocument, withMissing: boolean): Notes {
  const problems = check(document.root, state, document)
  const shown = withMissing ? problems : problems.filter(({ keyword }) => keyword !== 'required')
  const notes = new Map<string, string[]>()
  for (const problem of shown) {
    const texts = notes.get(problem.pointer) ?? []
    const text = describe(problem)
    if (!texts.includes(text)) notes.set(problem.pointer, [...texts, text])
  }
  return notes
}

/** Describes a problem in the same words as the CLI and the server. */
function describe(problem: Problem): string {
  const text = describeViolation([{ ...problem, schemaPath: '' } as ErrorObject], 'value')
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

/** Messages about a field and everything inside it. */
export function notesInside(notes: Notes, pointer: string): string[] {
  const inside = [...notes].filter(([key]) => key === pointer || key.startsWith(`${pointer}/`))
  return inside.flatMap(([, texts]) => texts)
}
