import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import { codeFrame } from './code-frame.ts'

/** A frame of a trace whose source map was applied: `…/tools/add.ts:3:12`, or with parentheses around it. */
const FRAME = /(?:^|[\s(/])((?:[\w@.-]+\/)*[\w@.-]+\.[cm]?[jt]sx?):(\d+):(\d+)\)?$/
const MAX_FRAMES = 8

/**
 * An error of code that was loaded, with the place in the project's own files: the first one of its trace and the line
 * there. Anything but a failed load is given back as it is.
 */
export function toLoadError(error: unknown, directory: string): unknown {
  const trace = (error as { cause?: { trace?: unknown } }).cause?.trace
  if (!(error instanceof HostingError) || typeof trace !== 'string') return error
  const places = trace.split('\n').flatMap(line => placeOf(line.trim(), directory) ?? [])
  const [first] = places
  if (!first) return error
  const reason = trace.split('\n', 1)[0]!
  const lineText = readFileSync(join(directory, first.file), 'utf8').split(/\r?\n/)[first.line - 1]
  const frames = places
    .slice(0, MAX_FRAMES)
    .map(({ file, line, column }) => `    at ${file}:${line}:${column}`)
  return new HostingError(error.code, `${error.message} (${first.file}:${first.line}:${first.column})`, {
    details: [codeFrame(first, reason, lineText), ...frames].join('\n'),
    cause: error,
  })
}

function placeOf(frame: string, directory: string) {
  const match = frame.startsWith('at ') ? FRAME.exec(frame) : undefined
  if (!match) return undefined
  // The path of the map's source may stand behind a path of the bundle's own: the longest tail that is a file counts.
  const segments = match[1]!.split('/')
  for (let start = 0; start < segments.length; start++) {
    const file = segments.slice(start).join('/')
    const isPackage = file.includes('node_modules/')
    if (!file.startsWith('..') && !isPackage && existsSync(join(directory, file)))
      return { file, line: Number(match[2]), column: Number(match[3]) }
  }
  return undefined
}
