import { HostingError } from '../../shared/errors.ts'
import type { OpenApiDocument } from '../../shared/openapi/description.ts'
import { isUrl } from '../project/remote-server.ts'
import { readText, sourceName } from './read-text.ts'

/**
 * Reads and validates a description in JSON or YAML at a path or URL. A file may refer to other local files. Rejects network
 * references. Throws INVALID_REQUEST with the first problems.
 */
export async function readOpenApi(source: string): Promise<OpenApiDocument> {
  const text = await readText(source)
  const name = sourceName(source)
  const outside = isUrl(source) ? /["']?\$ref["']?\s*:\s*["']?([^#\s"'][^\s"']*)/ : NETWORK_REFERENCE
  const [, reference] = outside.exec(text) ?? []
  if (reference)
    throw new HostingError(
      'INVALID_REQUEST',
      `${name} refers to ${reference}, but network references are not supported. Save local copies and use them.`,
    )
  try {
    const document = await bundle(source, text)
    return isUrl(source) ? withAbsoluteServers(document, source) : document
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `${name} is not a valid OpenAPI 3 description.`, {
      details: (error as Error).message.split('\n').slice(0, 10).join('\n'),
      cause: error,
    })
  }
}

const NETWORK_REFERENCE = /["']?\$ref["']?\s*:\s*["']?(https?:\/\/[^\s"']+)/

async function bundle(source: string, text: string): Promise<OpenApiDocument> {
  const [{ default: SwaggerParser }, { parse }] = await Promise.all([
    import('@apidevtools/swagger-parser'),
    import('yaml'),
  ])
  const options = { resolve: { http: false as const }, dereference: { circular: 'ignore' as const } }
  const bundled = await SwaggerParser.bundle(isUrl(source) ? parse(text) : source, options)
  if ('swagger' in bundled)
    throw new Error(`it is a Swagger ${bundled.swagger} description. Convert it to OpenAPI 3.0 or 3.1 first.`)
  // Works on a copy because validation resolves references in place.
  await SwaggerParser.validate(structuredClone(bundled), options)
  return bundled as unknown as OpenApiDocument
}

/** Server URLs may be relative to the URL of the description (https://spec.openapis.org/oas/v3.1.1#server-object). */
function withAbsoluteServers(document: OpenApiDocument, source: string): OpenApiDocument {
  const servers = document.servers ?? [{ url: '/' }]
  const absolute = (url: string) => (/^[a-z{]/i.test(url) ? url : new URL(url, source).href)
  return { ...document, servers: servers.map(server => ({ ...server, url: absolute(server.url) })) }
}
