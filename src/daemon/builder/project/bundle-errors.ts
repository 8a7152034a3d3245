import type { BuildFailure, Message } from 'esbuild'
import { HostingError } from '../../../shared/errors.ts'
import { isInside, nativeAddon, outsideError, packageOf } from './bundle-inputs.ts'
import { codeFrame } from './code-frame.ts'
import { readDevDependencies } from './lock-file.ts'

const MAX_REPORTED = 20

/** esbuild's errors as INVALID_MCP: the first in the message, up to 20 with excerpts in `details`. */
export function toBundleError(error: unknown, directory: string): unknown {
  if (!isBuildFailure(error)) return error
  const addon = error.errors.find(({ text }) => /No loader is configured for "\.node" files/.test(text))
  if (addon) return nativeAddon(packageOf(addon.text) ?? '.node')
  // esbuild's message would quote a file outside the project.
  const foreign = error.errors.find(({ location }) => location && !isInside(location.file))
  if (foreign) return outsideError(foreign.location!.file)
  const devDependencies = readDevDependencies(directory)
  const faults = error.errors.map(message => toFault(message, devDependencies))
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return new HostingError('INVALID_MCP', `The source cannot be bundled: ${first!.head}${more}`, {
    details: faults
      .slice(0, MAX_REPORTED)
      .map(({ frame }) => frame)
      .join('\n\n'),
  })
}

export function isBuildFailure(error: unknown): error is BuildFailure {
  const { errors } = error as Partial<BuildFailure>
  return Array.isArray(errors) && errors.length > 0
}

interface Fault {
  head: string
  frame: string
}

function toFault({ text, location }: Message, devDependencies: readonly string[]): Fault {
  const sentence = explain(text, devDependencies)
  if (sentence.isWhole || !location) return { head: sentence.text, frame: sentence.text }
  // esbuild counts bytes from 0.
  const column = Buffer.from(location.lineText).subarray(0, location.column).toString().length + 1
  const place = { file: location.file, line: location.line, column }
  const frame = codeFrame(place, sentence.text, location.lineText, location.length)
  return { head: frame.split('\n', 1)[0]!, frame }
}

/** esbuild's message with a hint, if there is one. `isWhole` means that the text already names the file. */
function explain(text: string, devDependencies: readonly string[]): { text: string; isWhole?: boolean } {
  const missingExport = /^No matching export in "(.+)" for import "(.+)"$/.exec(text)
  if (missingExport)
    return { text: explainMissingExport(missingExport[1]!, missingExport[2]!), isWhole: true }
  const unresolved = /^Could not resolve "(.+)"$/.exec(text)
  if (unresolved) return { text: `${text}${unresolvedHint(unresolved[1]!, devDependencies)}` }
  return { text }
}

function explainMissingExport(file: string, name: string): string {
  if (name !== 'default') return `${file} has no export "${name}"`
  return `${file} has no default export; export the definition with "export default defineTool({…})"`
}

function unresolvedHint(path: string, devDependencies: readonly string[]): string {
  if (path.startsWith('.') || path.startsWith('/')) return ': this file is not in the source'
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)![0]
  if (name === 'mcp-hosting') return ': import from "mcp-hosting/server" instead'
  if (devDependencies.includes(name))
    return `: "${name}" is in "devDependencies", which are not installed; move it with: npm install --save-prod ${name}`
  return `: the package "${name}" is not in the project's dependencies; add it with: npm install ${name}`
}
