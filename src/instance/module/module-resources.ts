import type { ResourceDefinition } from '../../sdk/define.ts'
import type { ResourceDefinition as Resource } from '../../shared/definitions/definitions.ts'
import { isUriTemplate, parseUriTemplate, type UriVariables } from '../../shared/definitions/uri-template.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { ClientContext } from '../server/client-context.ts'
import type { ReadResourceResult } from '../server/results.ts'
import { throwQuestion, toResourceResult } from './answer.ts'
import type { HandlerErrors } from './handler-errors.ts'
import { ModuleContext, type ModuleScope } from './module-context.ts'

export interface ModuleResource {
  resource: Resource
  definition: ResourceDefinition | ResourceDefinition['handler']
}

/** Resources and resource templates whose content comes from module code. */
export class ModuleResources {
  readonly #fixed = new Map<string, ModuleResource>()
  readonly #templates: { one: ModuleResource; match(uri: string): UriVariables | undefined }[] = []
  readonly #scope: ModuleScope
  readonly #errors: HandlerErrors

  constructor(resources: readonly ModuleResource[], scope: ModuleScope, errors: HandlerErrors) {
    this.#scope = scope
    this.#errors = errors
    for (const one of resources) {
      const { uri } = one.resource
      if (!isUriTemplate(uri)) this.#fixed.set(uri, one)
      else this.#templates.push({ one, match: parseUriTemplate(uri).match })
    }
  }

  isFixed(uri: string): boolean {
    return this.#fixed.has(uri)
  }

  /** Undefined when no module serves the URI. */
  find(uri: string): { one: ModuleResource; variables: UriVariables } | undefined {
    const one = this.#fixed.get(uri)
    if (one) return { one, variables: {} }
    for (const { one, match } of this.#templates) {
      const variables = match(uri)
      if (variables) return { one, variables }
    }
    return undefined
  }

  async read(uri: string, call: ClientContext): Promise<ReadResourceResult> {
    const { one, variables } = this.find(uri)!
    const { resource, definition } = one
    try {
      const handler = typeof definition === 'function' ? definition : definition.handler.bind(definition)
      const value = await handler({ ...variables }, new ModuleContext(this.#scope, call, uri))
      throwQuestion(value)
      return toResourceResult(value, uri, resource.mimeType)
    } catch (error) {
      const sentence = this.#errors.describe(`Resource ${uri}`, error, call)
      throw new RpcError(-32603, `Resource ${uri} cannot be read: ${sentence}`)
    }
  }
}
