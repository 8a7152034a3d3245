import type { ResourceDefinition } from '../../shared/definitions/definitions.ts'
import {
  isUriTemplate,
  parseUriTemplate,
  type UriTemplate,
  type UriVariables,
} from '../../shared/definitions/uri-template.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { SAMPLE_META } from '../handlers/answer.ts'
import { createHandler } from '../handlers/create-handler.ts'
import { describeFailure } from '../handlers/failure.ts'
import type { Handler } from '../handlers/handler.ts'
import { loadTemplates } from '../handlers/load.ts'
import { createScope, type ServerScope } from '../handlers/templates/scope.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { CallContext } from './client-context.ts'
import { toResourceContents } from './resource-contents.ts'
import type { Content, ReadResourceResult } from './results.ts'

interface FoundResource {
  resource: ResourceDefinition
  variables: UriVariables
}

export class Resources {
  readonly fixed: ResourceDefinition[]
  readonly templates: ResourceDefinition[]
  readonly #server: ServerScope
  readonly #tenant: Tenant
  #byUri: Map<string, ResourceDefinition> | undefined
  #patterns: Map<ResourceDefinition, UriTemplate> | undefined
  #handlers: Map<ResourceDefinition, Promise<Handler>> | undefined

  constructor(definitions: ResourceDefinition[], server: ServerScope, tenant: Tenant) {
    this.fixed = definitions.filter(({ uri }) => !isUriTemplate(uri))
    this.templates = definitions.filter(({ uri }) => isUriTemplate(uri))
    this.#server = server
    this.#tenant = tenant
  }

  has(uri: string): boolean {
    return this.find(uri) !== undefined
  }

  /** The resource with exactly this URI, otherwise the first template that matches. */
  find(uri: string): FoundResource | undefined {
    this.#byUri ??= new Map(this.fixed.map(resource => [resource.uri, resource]))
    const resource = this.#byUri.get(uri)
    if (resource) return { resource, variables: {} }
    for (const template of this.templates) {
      const variables = this.#patternOf(template).match(uri)
      if (variables) return { resource: template, variables }
    }
    return undefined
  }

  async read(uri: string, call: CallContext): Promise<ReadResourceResult> {
    const found = this.find(uri)
    if (!found) throw new RpcError(-32602, `Resource not found: ${uri}`, { uri })
    const { resource, variables } = found
    const { mimeType, blob } = resource
    if (blob !== undefined) return { contents: [{ uri, mimeType, blob }] }
    try {
      const handler = await this.#handlerOf(resource)
      const answer = await handler(createScope(this.#server, variables, call), call)
      if (answer.isError)
        throw new RpcError(-32603, `Resource ${uri} cannot be read: ${textOf(answer.content)}`)
      return { contents: toResourceContents(answer, uri, mimeType) }
    } catch (error) {
      if (error instanceof RpcError) throw error
      throw new RpcError(
        -32603,
        `Resource ${uri} cannot be read: ${describeFailure(error, this.#server.env)}`,
      )
    }
  }

  #patternOf(resource: ResourceDefinition): UriTemplate {
    this.#patterns ??= new Map()
    const pattern = this.#patterns.get(resource) ?? parseUriTemplate(resource.uri)
    this.#patterns.set(resource, pattern)
    return pattern
  }

  #handlerOf(resource: ResourceDefinition): Promise<Handler> {
    this.#handlers ??= new Map()
    const handler = this.#handlers.get(resource) ?? createResourceHandler(resource, this.#tenant)
    this.#handlers.set(resource, handler)
    return handler
  }
}

async function createResourceHandler(resource: ResourceDefinition, tenant: Tenant): Promise<Handler> {
  if (resource.handler) return createHandler(resource.handler, tenant)
  if (resource.text === undefined) return createSample(resource)
  const templates = await loadTemplates(resource.text)
  const text = templates.compileText(resource.text)
  return scope => ({ content: [{ type: 'text', text: text(new templates.Rendering(scope)) }] })
}

/** Placeholder for content that is not written yet. */
function createSample({ name, description, mimeType }: ResourceDefinition): Handler {
  return ({ args }) => {
    const sample = { name, description, ...(Object.keys(args).length > 0 && { variables: args }) }
    const text = /json/.test(mimeType) ? JSON.stringify(sample) : `${name}: ${description}`
    return { content: [{ type: 'text', text }], _meta: { ...SAMPLE_META } }
  }
}

function textOf(content: Content[]): string {
  return content.map(({ text }) => text ?? '').join(' ')
}
