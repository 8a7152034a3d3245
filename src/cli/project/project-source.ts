import { readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Node } from 'jsonc-parser'
import { HostingError } from '../../shared/errors.ts'

/** Content of a project file before validation. */
export interface ProjectSource {
  /** Absolute path. */
  file: string
  /** Absolute path of the project if it is not the file's folder. */
  directory?: string
  value: unknown
  /** `line:column` of a path such as `tools[2].inputSchema` or its nearest parent. Undefined for values made by code. */
  locate(path: string): string | undefined
}

/** Reads JSON, YAML or TypeScript, by extension. Throws INVALID_MCP with file, line and column. */
export async function readProjectSource(file: string): Promise<ProjectSource> {
  switch (extname(file)) {
    case '.yaml':
    case '.yml':
      return readYaml(file, readText(file))
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return readModule(file)
    default:
      return readJson(file, readText(file))
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `Could not read ${file}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

async function readJson(file: string, text: string): Promise<ProjectSource> {
  const { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: { error: number; offset: number; length: number }[] = []
  const tree = parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  if (error || !tree) {
    const reason = error ? toWords(printParseErrorCode(error.error)) : 'the file is empty'
    throw notParsable(file, positionOf(text, error?.offset ?? 0), reason)
  }
  const duplicate = findDuplicate(tree)
  if (duplicate)
    throw notParsable(
      file,
      positionOf(text, duplicate.offset),
      `duplicate key ${JSON.stringify(duplicate.value)}`,
    )
  return {
    file,
    value: getNodeValue(tree),
    locate(path) {
      for (let segments = toSegments(path); segments.length > 0; segments = segments.slice(0, -1)) {
        const node = findNodeAtLocation(tree, segments)
        if (node) return positionOf(text, (node.parent?.type === 'property' ? node.parent : node).offset)
      }
      return undefined
    },
  }
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

async function readYaml(file: string, text: string): Promise<ProjectSource> {
  const { isNode, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${line}:${col}`
  }
  const [error] = document.errors
  if (error) throw notParsable(file, at(error.pos[0]), error.message)
  return {
    file,
    value: document.toJS(),
    locate(path) {
      for (let segments = toSegments(path); segments.length > 0; segments = segments.slice(0, -1)) {
        const node = document.getIn(segments, true)
        if (isNode(node) && node.range) return at(node.range[0])
      }
      return undefined
    },
  }
}

/** Default export of a module, or the value of its promise. Node strips the types itself (22.18 and newer). */
async function readModule(file: string): Promise<ProjectSource> {
  // The query makes Node reload a changed file.
  const url = `${pathToFileURL(file).href}?changed=${statSync(file).mtimeMs}`
  const module = await import(url).catch(error => {
    throw new HostingError('INVALID_MCP', `${basename(file)} failed to load: ${error.message}`, {
      cause: error,
    })
  })
  if (module.default === undefined)
    throw new HostingError('INVALID_MCP', `${basename(file)} must export the project as its default export.`)
  return { file, value: await module.default, locate: () => undefined }
}

function notParsable(file: string, position: string, reason: string): HostingError {
  const name = basename(file)
  return new HostingError('INVALID_MCP', `${name} cannot be parsed: ${reason} at ${position}.`, {
    details: `${name}:${position} ${reason}`,
  })
}

/** `tools[2].inputSchema` → `['tools', 2, 'inputSchema']` */
function toSegments(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  )
}

/** Offset → `line:column`, both from 1. */
function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `${line}:${offset - before.lastIndexOf('\n')}`
}

/** `CommaExpected` → `comma expected` */
function toWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}
