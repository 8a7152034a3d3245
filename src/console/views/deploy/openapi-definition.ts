import { parse } from 'yaml'
import { HostingError } from '../../../shared/errors.ts'
import { toSubdomainLabel } from '../../../shared/names.ts'
import { convertOpenApi, type ImportedProject } from '../../../shared/openapi/convert.ts'
import type { OpenApiDocument } from '../../../shared/openapi/description.ts'

/** Longer lists of omitted operations are cut. */
const SHOWN_WARNINGS = 5

export interface OpenApiDefinition {
  /** Definition with one tool per operation, as JSON. */
  text: string
  /** Which operations were omitted, and why. */
  warning: string | undefined
}

/**
 * Converts an OpenAPI description (JSON or YAML) into a definition. The title of the API becomes the name, unless `name` is
 * given. Undefined for any other text. Throws INVALID_REQUEST for a description that cannot be converted here.
 */
export function openApiDefinition(text: string, name?: string): OpenApiDefinition | undefined {
  const document = parseText(text)
  if (typeof document !== 'object' || document === null) return undefined
  if ('swagger' in document)
    throw invalid('This is a Swagger 2.0 description.', 'Convert it to OpenAPI 3.0 or 3.1 first.')
  if (!('openapi' in document)) return undefined
  const { project, warnings } = convert(document as OpenApiDocument, name)
  if (project.tools.length === 0)
    throw invalid('The description contains no operation that can be a tool.', warnings.join('\n'))
  return { text: JSON.stringify(project, null, 2), warning: warningOf(warnings) }
}

/** Undefined for a text that is neither JSON nor YAML. */
function parseText(text: string): unknown {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text)
  } catch {
    return undefined
  }
}

function convert(document: OpenApiDocument, name: string | undefined): ImportedProject {
  requireSupported(document)
  try {
    return convertOpenApi(document, name ?? toSubdomainLabel(document.info.title).slice(0, 63))
  } catch (error) {
    throw invalid('This is not a valid OpenAPI description.', (error as Error).message)
  }
}

function requireSupported({ openapi, info, ...rest }: OpenApiDocument): void {
  if (!/^3\.[01]\./.test(String(openapi)))
    throw invalid(`OpenAPI ${openapi} is not supported.`, 'Use a description in OpenAPI 3.0 or 3.1.')
  if (typeof info?.title !== 'string' || typeof info.version !== 'string')
    throw invalid('This is not a valid OpenAPI description.', '"info" needs a title and a version.')
  const [, reference] = /"\$ref":"([^#"][^"]*)"/.exec(JSON.stringify(rest)) ?? []
  if (reference === undefined) return
  if (/^https?:/.test(reference))
    throw invalid(
      `The description refers to ${reference}.`,
      'Save a local copy, and bundle both into one file.',
    )
  throw new HostingError(
    'INVALID_REQUEST',
    `The description refers to ${reference}, which is not part of it.`,
    {
      next: [{ description: 'Use a terminal', command: 'mcp init my-api --from-openapi openapi.json' }],
    },
  )
}

function warningOf(warnings: readonly string[]): string | undefined {
  if (warnings.length === 0) return undefined
  const more = warnings.length - SHOWN_WARNINGS
  return [...warnings.slice(0, SHOWN_WARNINGS), ...(more > 0 ? [`${more} more were skipped.`] : [])].join(' ')
}

function invalid(message: string, details: string): HostingError {
  return new HostingError('INVALID_REQUEST', message, { details: details || undefined })
}
