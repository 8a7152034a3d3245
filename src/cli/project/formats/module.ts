import { readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HostingError } from '../../../shared/errors.ts'
import type { ProjectSource } from '../project-source.ts'
import { literalOffsets } from './literal-offsets.ts'
import { notParsable, positionOf, toSegments } from './positions.ts'

/**
 * Default export of a module, or the value of its promise. Node strips the types itself (22.18 and newer). Throws INVALID_MCP
 * with the position in the file, if known.
 */
export async function loadModule(file: string): Promise<ProjectSource> {
  const text = readFileSync(file, 'utf8')
  // The query makes Node reload a changed file.
  const url = `${pathToFileURL(file).href}?changed=${statSync(file).mtimeMs}`
  const module = await import(url).catch(async error => {
    throw (await syntaxError(file, text)) ?? placeError(file, error)
  })
  if (module.default === undefined)
    throw new HostingError('INVALID_MCP', `${basename(file)} must export the project as its default export.`)
  return { file, value: await module.default, locate: path => locateIn(text, path) }
}

/** Position of the path, or of its nearest parent that the file contains as a literal. */
function locateIn(text: string, path: string): string {
  const offsets = literalOffsets(text)
  for (let segments = toSegments(path); segments.length > 0; segments = segments.slice(0, -1)) {
    const offset = offsets.get(JSON.stringify(segments))
    if (offset !== undefined) return positionOf(text, offset)
  }
  return positionOf(text, offsets.get('[]') ?? 0)
}

/** Error of esbuild with the position, which Node's error lacks. Undefined when the syntax is valid. */
async function syntaxError(file: string, text: string): Promise<HostingError | undefined> {
  const { transform } = await import('esbuild')
  const loader = /ts$/.test(extname(file)) ? 'ts' : 'js'
  const failure = await transform(text, { loader, logLevel: 'silent' }).then(
    () => undefined,
    error => error as { errors?: { text: string; location: { line: number; column: number } | null }[] },
  )
  const [first] = failure?.errors ?? []
  if (!first?.location) return undefined
  return notParsable(file, text, `${first.location.line}:${first.location.column + 1}`, first.text)
}

/** Adds the position in the file where the error was thrown. */
function placeError(file: string, error: Error): HostingError {
  const frame = String(error?.stack)
    .split('\n')
    .find(line => line.includes(pathToFileURL(file).href))
  const [, position] = /:(\d+:\d+)\)?$/.exec(frame ?? '') ?? []
  const place = position ? `${basename(file)}:${position}` : basename(file)
  return new HostingError('INVALID_MCP', `${place} failed to load: ${error?.message ?? error}`, {
    cause: error,
  })
}
