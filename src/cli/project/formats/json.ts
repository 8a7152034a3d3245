import type { Node } from 'jsonc-parser'
import type { ProjectSource } from '../project-source.ts'
import { notParsable, positionOf, toSegments } from './positions.ts'

/** Throws INVALID_MCP with line and column. */
export async function parseJson(file: string, text: string): Promise<ProjectSource> {
  const { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: { error: number; offset: number; length: number }[] = []
  const tree = parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  if (error || !tree) {
    const fault = error ? toFault(text, error.offset, printParseErrorCode(error.error)) : EMPTY_FILE
    throw notParsable(file, text, positionOf(text, fault.offset), fault.reason)
  }
  const duplicate = findDuplicate(tree)
  if (duplicate) {
    const reason = `duplicate key ${JSON.stringify(duplicate.value)}`
    throw notParsable(file, text, positionOf(text, duplicate.offset), reason)
  }
  return {
    file,
    value: getNodeValue(tree),
    locate(path) {
      for (let segments = toSegments(path); segments.length > 0; segments = segments.slice(0, -1)) {
        const node = findNodeAtLocation(tree, segments)
        if (node) return positionOf(text, (node.parent?.type === 'property' ? node.parent : node).offset)
      }
      return positionOf(text, tree.offset)
    },
  }
}

const EMPTY_FILE = { offset: 0, reason: 'the file is empty' }

/** `CommaExpected` → `comma expected`. The parser reports a trailing comma at the token after it. */
export function toFault(text: string, offset: number, code: string): { offset: number; reason: string } {
  const before = text.slice(0, offset).trimEnd()
  if (before.endsWith(',') && /^[\]}]/.test(text.slice(offset)))
    return { offset: before.length - 1, reason: 'trailing comma' }
  const words = code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return { offset, reason: words.replace(/^close /, 'closing ') }
}

/** Key of the second of two duplicate properties, which JSON.parse would silently accept. */
function findDuplicate(node: Node): Node | undefined {
  const children = node.children ?? []
  if (node.type === 'object') {
    const names = new Set<unknown>()
    for (const { children: [name] = [] } of children) {
      if (name && names.has(name.value)) return name
      names.add(name?.value)
    }
  }
  for (const child of children) {
    const found = findDuplicate(child)
    if (found) return found
  }
  return undefined
}
