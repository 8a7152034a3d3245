import { readFileSync, realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import type { DefinitionProblem } from './validate-definitions.ts'

/** A build request is JSON of 1 MiB at most (docs/decisions.md), so no file in it can be larger. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Replaces `file` of each resource by the file's content: `text` for text types, `blob` for the rest. Files are sent as
 * they are, never rendered as templates. Returns the problems; the request is changed in place.
 */
export function inlineResourceFiles(
  request: Record<string, unknown>,
  directory: string,
): DefinitionProblem[] {
  if (!Array.isArray(request.resources)) return []
  const problems: DefinitionProblem[] = []
  request.resources = request.resources.map((resource: unknown, index) => {
    if (!hasFile(resource)) return resource
    const { file, ...rest } = resource
    const path = `resources[${index}].file`
    if (['text', 'blob', 'handler'].some(field => field in rest)) {
      problems.push({
        path,
        message: 'stands beside another source of content: keep one of text, blob, file, handler',
      })
      return rest
    }
    const content = readInside(directory, file)
    if (typeof content === 'string') {
      problems.push({ path, message: content })
      return { ...rest, text: '' }
    }
    const mimeType = typeof rest.mimeType === 'string' ? rest.mimeType : mimeTypeOf(file)
    return { ...rest, ...(mimeType ? { mimeType } : {}), ...toContent(content, mimeType) }
  })
  return problems
}

function hasFile(resource: unknown): resource is Record<string, unknown> & { file: string } {
  return typeof (resource as { file?: unknown } | null)?.file === 'string'
}

/** The file's bytes, or a sentence that says why it is not read. */
function readInside(directory: string, file: string): Buffer | string {
  try {
    // The real path, so that a symbolic link cannot lead out of the project either.
    const real = realpathSync(resolve(directory, file))
    const fromProject = relative(realpathSync(directory), real)
    if (fromProject.startsWith('..') || resolve(fromProject) === fromProject)
      return `"${file}" lies outside the project ${directory}`
    const status = statSync(real)
    if (!status.isFile()) return `"${file}" is not a file`
    if (status.size > MAX_FILE_BYTES)
      return `"${file}" has ${status.size} bytes; a whole build request takes ${MAX_FILE_BYTES} at most`
    return readFileSync(real)
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return missing
      ? `"${file}" does not exist in ${directory}${sep}`
      : `"${file}" cannot be read: ${(error as Error).message}`
  }
}

function mimeTypeOf(file: string): string | undefined {
  return getMimeType(file, { ...TEXT_TYPES })?.split(';')[0] ?? getMimeType(file)?.split(';')[0]
}

/** Types of text files that web servers rarely serve. */
const TEXT_TYPES = {
  md: 'text/markdown',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  ts: 'text/typescript',
  sql: 'application/sql',
  sh: 'application/x-sh',
  log: 'text/plain',
}

const TEXT_MIME =
  /^text\/|^application\/(?:.+\+)?(?:json|xml|yaml|toml|sql|javascript|x-sh)\b|\+(?:json|xml|yaml)\b/

function toContent(content: Buffer, mimeType: string | undefined): { text: string } | { blob: string } {
  const text = content.toString('utf8')
  const isUtf8 = Buffer.from(text).equals(content)
  // Without any type the contract's default is application/json, so what is UTF-8 counts as text.
  if (isUtf8 && (mimeType === undefined || TEXT_MIME.test(mimeType))) return { text: escapeLiquid(text) }
  return { blob: content.toString('base64') }
}

/** `text` is a Liquid template: each opening delimiter becomes an expression that prints it. */
function escapeLiquid(text: string): string {
  return text.replace(/\{\{|\{%/g, delimiter => `{{ '${delimiter}' }}`)
}
