import { HostingError } from '../../shared/errors.ts'

/** Servers by name, as a configuration holds them. */
export type Entries = Record<string, Record<string, unknown>>

/** The servers in a JSON configuration, which may hold comments. Throws INVALID_REQUEST when it is no such file. */
export async function readJsonEntries(text: string, key: string, file: string): Promise<Entries> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  if (text.trim() === '') return {}
  const errors: { error: number; offset: number; length: number }[] = []
  const value = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error || typeof value !== 'object' || value === null) {
    const line = text.slice(0, error?.offset ?? 0).split('\n').length
    const reason = error ? `${printParseErrorCode(error.error)} in line ${line}` : 'it is not an object'
    throw new HostingError(
      'INVALID_REQUEST',
      `${file} is not valid JSON (${reason}); it was left as it is.`,
      {
        next: [{ description: 'Correct it, or put the entry in by hand: repeat the command with --print' }],
      },
    )
  }
  return value[key] ?? {}
}

/** Sets or, with undefined, removes one server; comments and formatting of everything else stay. */
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
