import { HostingError } from '../../shared/errors.ts'

/** Servers by name. */
export type Entries = Record<string, Record<string, unknown>>

/** Servers of a JSON configuration, which may contain comments. Throws INVALID_REQUEST for invalid JSON. */
export async function readJsonEntries(text: string, key: string, file: string): Promise<Entries> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  if (text.trim() === '') return {}
  const errors: { error: number; offset: number; length: number }[] = []
  const value = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error || typeof value !== 'object' || value === null) {
    const line = text.slice(0, error?.offset ?? 0).split('\n').length
    const reason = error ? `${printParseErrorCode(error.error)} in line ${line}` : 'it is not an object'
    throw new HostingError('INVALID_REQUEST', `${file} is not valid JSON (${reason}). It was not changed.`, {
      next: [{ description: 'Correct it, or repeat the command with --print and paste the entry' }],
    })
  }
  return value[key] ?? {}
}

/** Sets one server, or removes it when `entry` is undefined. Keeps comments and formatting. */
export async function editJson(
  text: string,
  path: readonly [key: string, name: string],
  entry: Record<string, unknown> | undefined,
): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  const source = text.trim() === '' ? '{}\n' : text
  const formattingOptions = { ...indentationOf(source), insertFinalNewline: true, eol: '\n' }
  return applyEdits(source, modify(source, [...path], entry, { formattingOptions }))
}

function indentationOf(text: string): { insertSpaces: boolean; tabSize: number } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 4 : indent.length }
}
