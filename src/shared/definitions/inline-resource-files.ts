import { readFileSync, realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import type { DefinitionProblem } from '../validation/definition-problem.ts'

/** Maximum size of a build request (docs/decisions/api.md), and therefore of every file in it. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Replaces `file` of each resource with the content: `text` for text types, `blob` for others. Files are not templates.
 * Modifies the request and returns the problems.
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
        message: 'cannot be combined with other content; keep one of text, blob, file, handler',
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

/** The file's bytes, or an error message. */
function readInside(directory: string, file: string): Buffer | string {
  try {
    // The real path, so that symbolic links cannot lead out of the project.
    const real = realpathSync(resolve(directory, file))
    const fromProject = relative(realpathSync(directory), real)
    const isOutside = fromProject === '..' || fromProject.startsWith(`..${sep}`)
    if (isOutside || resolve(fromProject) === fromProject)
      return `"${file}" is outside the project ${directory}`
    const status = statSync(real)
    if (!status.isFile()) return `"${file}" is not a file`
    if (status.size > MAX_FILE_BYTES)
      return `"${file}" has ${status.size} bytes; the maximum is ${MAX_FILE_BYTES} for the whole build request`
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
  // Without a type, the contract's default is application/json, so UTF-8 counts as text.
  if (isUtf8 && (mimeType === undefined || TEXT_MIME.test(mimeType))) return { text: escapeLiquid(text) }
  return { blob: content.toString('base64') }
}

/** Escapes the content of `text`, a Liquid template. Each opening delimiter becomes an expression that prints it. */
function escapeLiquid(text: string): string {
  return text.replace(/\{\{|\{%/g, delimiter => `{{ '${delimiter}' }}`)
}
