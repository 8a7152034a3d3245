import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { named } from '../../shared/json/schema-metadata.ts'
import { Lazy } from '../../shared/lazy.ts'
import { endpoint, type Route } from './endpoint.ts'
import { forEncoding } from './gzip.ts'
import { digest, matchesEtag } from './middleware/etags.ts'

/** The stored document. As an object it would use 30 times the memory. */
interface Compressed {
  bytes: Buffer
  etag: string
}

const namedOpenApiDocument = named('OpenApiDocument', 'An OpenAPI document.', { openapi: '3.1.0' })

const documentSchema = namedOpenApiDocument.looseObject({
  openapi: z.string().describe('Version of OpenAPI.'),
})

/** `/openapi.json`, created from the schemas that validate requests. The first request loads the code and creates it. */
export function openApiEndpoint(routes: () => readonly Route[]) {
  const document = new Lazy(async () => {
    const { describeApi } = await import('./openapi/document.ts')
    return compress(JSON.stringify(describeApi(routes())))
  })
  return endpoint({
    operationId: 'getOpenApi',
    summary: 'Show this description of the API',
    answers: {
      200: {
        description: 'OpenAPI 3.1. Compressed for clients that accept gzip.',
        schema: documentSchema,
        headers: ['ETag'],
      },
      304: { description: 'The client has the current document.', headers: ['ETag'] },
    },
    async run({ header }) {
      const { bytes, etag } = await document.get()
      const caching = { ETag: etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' }
      if (matchesEtag(header('if-none-match'), etag)) return { status: 304, headers: caching }
      const encoded = await forEncoding(bytes, header('accept-encoding'))
      const headers = { ...caching, ...encoded.headers }
      return { status: 200, bytes: encoded.bytes, type: 'application/json', headers }
    },
  })
}

/** The tag is weak, because it is the same for both encodings. */
async function compress(text: string): Promise<Compressed> {
  return { bytes: await promisify(gzip)(text), etag: `W/"${digest(text)}"` }
}
