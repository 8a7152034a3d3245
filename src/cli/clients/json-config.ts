import type { Node } from 'jsonc-parser'
import { HostingError } from '../../shared/errors.ts'
import { toFault } from '../project/formats/json.ts'

/** Servers by name. */
export type Entries = Record<string, Record<string, unknown>>

/** Servers in a JSON configuration, which may contain comments. Throws INVALID_REQUEST for invalid JSON. */
export async function readJsonEntries(text: string, key: string, file: string): Promise<Entries> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  if (text.trim() === '') return {}
  const errors: { error: number; offset: number; length: number }[] = []
  const value = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const { offset, reason } = toFault(text, error.offset, printParseErrorCode(error.error))
    const line = text.slice(0, offset).split('\n').length
    throw damagedConfig(`${file} is not valid JSON: ${reason} on line ${line}.`)
  }
  if (typeof value !== 'object' || value === null)
    throw damagedConfig(`${file} does not contain a JSON object.`)
  return value[key] ?? {}
}

function damagedConfig(message: string): HostingError {
  return new HostingError('INVALID_REQUEST', message, { next: [{ description: 'Correct the file' }] })
}

/** Sets one server, or removes it when `entry` is undefined. Keeps comments and the formatting of everything else. */
export async function editJson(
  text: string,
  path: readonly [key: string, name: string],
  entry: Record<string, unknown> | undefined,
): Promise<string> {
  const { applyEdits, findNodeAtLocation, modify, parseTree } = await import('jsonc-parser')
  const source = text.trim() === '' ? '{}\n' : text
  const layout = layoutOf(source)
  const tree = parseTree(source, [], { allowTrailingComma: true })
  const servers = (tree && findNodeAtLocation(tree, [path[0]])?.children) ?? []
  if (!entry && servers.length === 1) return applyEdits(source, modify(source, [path[0]], {}, {}))
  if (!entry) return withoutServer(source, servers, path[1])
  if (servers.length === 0 && !layout.isCompact) {
    const { isTab, unit, eol } = layout
    const formattingOptions = { insertSpaces: !isTab, tabSize: isTab ? 4 : unit.length, eol }
    return applyEdits(source, modify(source, [...path], entry, { formattingOptions }))
  }
  // With formatting options, the library would also reformat the preceding server.
  const edits = modify(source, [...path], entry, {}).map(edit => ({
    ...edit,
    content: layOut(edit.content, path[1], entry, layout),
  }))
  return applyEdits(source, edits)
}

function withoutServer(source: string, servers: readonly Node[], name: string): string {
  const at = servers.findIndex(({ children }) => children?.[0]?.value === name)
  const [before, server, after] = [servers[at - 1], servers[at], servers[at + 1]]
  if (!server) return source
  const from = after || !before ? server.offset : before.offset + before.length
  return source.slice(0, from) + source.slice(after?.offset ?? server.offset + server.length)
}

/** `content`: the entry as compact JSON, preceded by `,"name":` if the entry is new. */
function layOut(content: string, name: string, entry: Record<string, unknown>, layout: Layout): string {
  const { unit, eol, isCompact } = layout
  if (isCompact) return content
  const margin = `${eol}${unit.repeat(2)}`
  const value = JSON.stringify(entry, null, unit).split('\n').join(margin)
  return content.startsWith(',') ? `,${margin}${JSON.stringify(name)}: ${value}` : value
}

interface Layout {
  /** True when a non-empty document is on one line. */
  isCompact: boolean
  /** One step of indentation. */
  unit: string
  isTab: boolean
  eol: string
}

function layoutOf(text: string): Layout {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const isTab = unit.startsWith('\t')
  const isCompact = !text.trim().includes('\n') && !/^\s*\{\s*\}\s*$/.test(text)
  return { isCompact, unit: isTab ? '\t' : unit, isTab, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}
