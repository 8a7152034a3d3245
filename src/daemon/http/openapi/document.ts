import { CONSOLE_COOKIE } from '../../../shared/contract/access/console-sessions.ts'
import { errorEnvelopeSchema } from '../../../shared/contract/envelope.ts'
import type { Route } from '../endpoint.ts'
import { HEADERS } from './headers.ts'
import { describeOperation } from './operations.ts'
import { REQUEST_HEADERS } from './request-headers.ts'
import { ResponseWriter } from './responses.ts'
import { SchemaWriter } from './schema-writer.ts'

type Json = Record<string, unknown>

/** Version of the described interface, not of this package (service interface section 9). */
const CONTRACT_VERSION = '1.0.0'

const TAGS = [
  { name: 'v1', description: 'Builds, tests and deployments. Responses are wrapped in an envelope.' },
  {
    name: 'api',
    description: 'Projects, container builds, chats, keys and more. Responses are plain objects.',
  },
  { name: 'daemon', description: 'The daemon itself.' },
]

/** Creates an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1) from the schemas that validate requests. */
export function describeApi(routes: readonly Route[]): Json {
  const schemas = new SchemaWriter()
  const responses = new ResponseWriter(schemas)
  schemas.write(errorEnvelopeSchema, 'output')
  const paths: Record<string, Json> = {}
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, schemas, responses),
    }
  const whole = schemas.finish({ paths, responses: responses.shared })
  return {
    openapi: '3.1.0',
    info: {
      title: 'MCP hosting',
      version: CONTRACT_VERSION,
      description: 'Build, test, deploy and host MCP servers.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The daemon that serves this document.' }],
    security: [{ apiKey: [] }, { consoleCookie: [] }],
    tags: TAGS,
    paths: whole.document.paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'API key',
          description:
            'API key as `Authorization: Bearer <API_KEY>`. One of the `x-scopes` of an operation is enough.',
        },
        consoleCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: CONSOLE_COOKIE,
          description:
            'Cookie of a browser that is signed in to the console, with the rights of a key. Only its own pages may send it.',
        },
      },
      parameters: Object.fromEntries(
        Object.entries(REQUEST_HEADERS).map(([name, rest]) => [name, { name, ...rest }]),
      ),
      headers: HEADERS,
      responses: whole.document.responses,
      schemas: whole.schemas,
    },
  }
}
