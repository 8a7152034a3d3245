import type { HttpHandler, ToolDefinition } from '../definitions/definitions.ts'
import {
  isJsonType,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  resolveRef,
  type Schema,
  shorten,
} from './description.ts'
import { addBody, addParameters, type Inputs } from './inputs.ts'
import { SchemaConverter } from './schema.ts'
import { type Credentials, credentialsFor, mergeHeaders } from './security.ts'

export interface OperationAt {
  document: OpenApiDocument
  method: string
  path: string
  operation: Operation
  /** Parameters of the path item and the operation. */
  parameters: Parameter[]
  /** Liquid expression for the URL before the path. */
  baseUrl: string
}

/** A declared tool as JSON (service interface 2.3 and our `handler`). */
export interface HttpTool {
  name: string
  description: string
  inputSchema: Schema
  outputSchema?: Schema
  annotations: ToolDefinition['annotations']
  handler: {
    type: 'http'
    method: HttpHandler['method']
    url: string
    headers?: Record<string, string>
    query?: Record<string, string>
    body?: unknown
  }
}

/** Tool of an operation. Its `name` may not be unique yet. */
export interface OperationTool {
  tool: HttpTool
  env: Credentials['env']
}

const MAX_OUTPUT_SCHEMA_BYTES = 8192

/** Tool of an operation, or the reason why the operation cannot be a declared tool. */
export function toTool(at: OperationAt): OperationTool | { skipped: string } {
  const { document, operation } = at
  const credentials = credentialsFor(document, operation)
  if (!credentials) return { skipped: 'its security scheme is not supported with environment variables' }
  const request = new SchemaConverter(document, 'request')
  const inputs: Inputs = { properties: {}, required: [] }
  const parts = addParameters(at.path, at.parameters, request, inputs)
  const body = addBody(resolveRef(document, operation.requestBody), request, inputs)
  if ('skipped' in body) return body
  const headers = mergeHeaders({ ...parts.headers, ...body.headers }, credentials.headers)
  const query = { ...parts.query, ...credentials.query }
  const outputSchema = outputSchemaOf(at)
  const tool: HttpTool = {
    name: operation.operationId ?? `${at.method}${at.path}`,
    description: describe(at),
    inputSchema: inputSchemaOf(inputs, request),
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(at.method),
    handler: {
      type: 'http',
      method: at.method.toUpperCase() as HttpHandler['method'],
      url: at.baseUrl + parts.path,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(query).length > 0 && { query }),
      ...(body.body !== undefined && { body: body.body }),
    },
  }
  return { tool, env: credentials.env }
}

function inputSchemaOf({ properties, required }: Inputs, converter: SchemaConverter): Schema {
  return converter.withDefinitions({
    type: 'object',
    properties,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    additionalProperties: false,
  })
}

/** Schema of the first successful response, if it is JSON of type object and not too large. */
function outputSchemaOf({ document, operation, method }: OperationAt): Schema | undefined {
  if (method === 'head') return undefined
  const success = Object.keys(operation.responses ?? {}).find(status => /^2(\d\d|XX)$/i.test(status))
  const response = success ? resolveRef(document, operation.responses?.[success]) : undefined
  const media = Object.entries(response?.content ?? {}).find(([type]) => isJsonType(type))?.[1]
  if (!media?.schema) return undefined
  const converter = new SchemaConverter(document, 'response')
  const root = converter.resolve(converter.convert(media.schema))
  if (root.type !== 'object') return undefined
  const schema = converter.withDefinitions(root)
  return JSON.stringify(schema).length <= MAX_OUTPUT_SCHEMA_BYTES ? schema : undefined
}

function annotationsOf(method: string): ToolDefinition['annotations'] {
  if (/^(get|head|options)$/.test(method)) return { readOnlyHint: true }
  return { destructiveHint: method === 'delete', idempotentHint: /^(put|delete)$/.test(method) }
}

function describe({ operation, method, path }: OperationAt): string {
  const text =
    shorten(operation.summary) || shorten(operation.description) || `${method.toUpperCase()} ${path}`
  return operation.deprecated ? `${text} (deprecated)` : text
}
