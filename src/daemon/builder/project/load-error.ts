import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import { type CodePlace, codeFrame, placeName } from './code-frame.ts'

/** Source-mapped frame of a stack trace: `…/tools/add.ts:3:12`, possibly in parentheses. */
const FRAME = /(?:^|[\s(/])((?:[\w@.+-]+\/)*[\w@.+-]+\.[cm]?[jt]sx?):(\d+):(\d+)\)?$/
const MAX_FRAMES = 8

/**
 * Adds the position and source line to an error from loaded code: the first frame in the project's files, otherwise in its
 * packages. Returns other errors unchanged.
 */
export function toLoadError(error: unknown, directory: string): unknown {
  const trace = (error as { cause?: { trace?: unknown } }).cause?.trace
  if (!(error instanceof HostingError) || typeof trace !== 'string') return error
  const places = trace.split('\n').flatMap(line => placeOf(line.trim(), directory) ?? [])
  const first = places.find(({ file }) => !isPackage(file)) ?? places[0]
  if (!first) return withHint(error, error.message, error.details)
  const [reason] = trace.split('\n', 1)
  const frames = places.slice(0, MAX_FRAMES).map(place => `    at ${placeName(place)}`)
  const details = [codeFrame(first, reason!, lineOf(first, directory)), ...frames].join('\n')
  return withHint(error, `${error.message} (${placeName(first)})`, details)
}

const HOST_PROGRAM = 'host the server as a program: mcp deploy --command.'

/** What to do about a feature of Node that handler modules do not have. The first match counts. */
const HINTS = {
  'Handler modules may not read files': `Import the file instead (docs/custom-servers.md), or ${HOST_PROGRAM}`,
  'Handler modules may not write files': `Keep data in context.store (docs/state.md), or ${HOST_PROGRAM}`,
  'Handler modules may not': `To do so, ${HOST_PROGRAM}`,
  'loading addons is disabled': `Handler modules may not load native addons. To do so, ${HOST_PROGRAM}`,
  'No such built-in module: node:sqlite':
    'A handler module cannot use node:sqlite, which opens files. Host the server as a program: mcp deploy --command.',
}

function withHint(error: HostingError, message: string, details: string | undefined): HostingError {
  const hint = Object.entries(HINTS).find(([words]) => error.message.includes(words))?.[1]
  const all = [hint, details].filter(Boolean).join('\n')
  return new HostingError(error.code, message, { details: all || undefined, cause: error })
}

function placeOf(frame: string, directory: string): CodePlace | undefined {
  const match = frame.startsWith('at ') ? FRAME.exec(frame) : undefined
  if (!match) return undefined
  // The path of the bundle may precede that of the source. The longest suffix that is a file counts.
  const segments = match[1]!.split('/')
  for (let start = 0; start < segments.length; start++) {
    const file = segments.slice(start).join('/')
    if (!file.startsWith('../') && existsSync(join(directory, file)))
      return { file, line: Number(match[2]), column: Number(match[3]) }
  }
  return undefined
}

function isPackage(file: string): boolean {
  return file.startsWith('node_modules/')
}

function lineOf({ file, line }: CodePlace, directory: string): string | undefined {
  return readFileSync(join(directory, file), 'utf8').split(/\r?\n/)[line - 1]
}
