import type { Content, Message } from '../../sdk/content.ts'
import type {
  Context,
  ElicitRequest,
  ElicitResult,
  ElicitUrlRequest,
  LogLevel,
  SampleRequest,
  SampleResult,
} from '../../sdk/context.ts'
import type { Schema } from '../../sdk/schema.ts'
import type { ServerStore } from '../../sdk/store/store.ts'
import type { StateBackend } from '../../shared/instances/state-operations.ts'
import type { Check } from '../handlers/argument-check.ts'
import { loadChecks } from '../handlers/load.ts'
import { isObject } from '../protocol/json-rpc.ts'
import type { CallerSession, ClientContext, ClientFacts } from '../server/client-context.ts'
import { HandlerStore } from '../state/handler-store.ts'
import { bindMethods } from './bind-methods.ts'
import { describeIssue, isStandardSchema, toJsonSchema } from './standard-schema.ts'

const DEFAULT_MAX_TOKENS = 1000

/** Shared by all calls of a server. */
export interface ModuleScope {
  env: Readonly<Record<string, string>>
  /** Writes to the deployment's log. */
  log(level: LogLevel, data: unknown): void
  /** Undefined when the server has no store. */
  state?: StateBackend | undefined
}

/** Context of a handler call. Kept small, because every call creates one. */
export class ModuleContext implements Context {
  static {
    bindMethods(ModuleContext.prototype)
  }

  readonly #scope: ModuleScope
  readonly #call: ClientContext
  /** URI of the resource. Empty for handlers of tools and prompts. */
  readonly uri: string

  constructor(scope: ModuleScope, call: ClientContext, uri = '') {
    this.#scope = scope
    this.#call = call
    this.uri = uri
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }
  get env(): Readonly<Record<string, string>> {
    return this.#scope.env
  }
  get client(): ClientFacts {
    return this.#call.client
  }
  get meta(): Readonly<Record<string, unknown>> {
    return this.#call.meta
  }
  get sessionId(): string | undefined {
    return (this.#call.session as CallerSession | undefined)?.id
  }
  get auth(): ClientContext['caller'] {
    return this.#call.caller
  }
  get store(): ServerStore {
    return new HandlerStore(this.#scope.state, this.#call.caller)
  }
  get inputResponses(): ClientContext['inputResponses'] {
    return this.#call.inputResponses
  }
  get requestState(): unknown {
    return this.#call.requestState
  }
  get token(): string | undefined {
    const { authorization } = this.#call.meta
    const token = isObject(authorization) ? authorization.token : undefined
    return typeof token === 'string' && token !== '' ? token : this.#call.bearerToken
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#scope.log(level, data)
    this.#call.log(level, data, logger)
  }
  debug(data: unknown, logger?: string): void {
    this.log('debug', data, logger)
  }
  info(data: unknown, logger?: string): void {
    this.log('info', data, logger)
  }
  notice(data: unknown, logger?: string): void {
    this.log('notice', data, logger)
  }
  warning(data: unknown, logger?: string): void {
    this.log('warning', data, logger)
  }
  error(data: unknown, logger?: string): void {
    this.log('error', data, logger)
  }

  progress(progress: number, total?: number, message?: string): void {
    this.#call.progress(progress, total, message)
  }

  sample(prompt: string | SampleRequest): Promise<SampleResult> {
    const { key, ...params } = typeof prompt === 'string' ? toSampleRequest(prompt) : prompt
    return this.#ask('sampling/createMessage', { ...params }, key, result => ({
      ...(result as unknown as SampleResult),
      text: textOf(result.content as Content | Content[]),
    }))
  }

  elicit<const S extends Schema>({ message, schema, key }: ElicitRequest<S>): Promise<ElicitResult<never>> {
    const requestedSchema = toJsonSchema(schema, 'input', 'The schema of elicit()')
    return this.#ask('elicitation/create', { message, requestedSchema }, key, async result => {
      const { action, content } = result as unknown as ElicitResult<unknown>
      return action === 'accept'
        ? { action, content: (await checkContent(schema, content)) as never }
        : { action }
    })
  }

  elicitUrl({ message, url, elicitationId, key }: ElicitUrlRequest): Promise<ElicitResult<undefined>> {
    const params = { mode: 'url', message, url, elicitationId: elicitationId ?? crypto.randomUUID() }
    return this.#ask(
      'elicitation/create',
      params,
      key,
      ({ action }) => ({ action }) as ElicitResult<undefined>,
    )
  }

  listRoots({ key }: { key?: string } = {}): Promise<{ uri: string; name?: string }[]> {
    return this.#ask('roots/list', {}, key, ({ roots }) => (Array.isArray(roots) ? roots : []))
  }

  #ask<Result>(
    method: string,
    params: Record<string, unknown>,
    key: string | undefined,
    toResult: (answer: Record<string, unknown>) => Result | Promise<Result>,
  ): Promise<Result> {
    const answer = this.#call.ask(method, params, key).then(toResult)
    // A question that the handler did not await must not terminate the process if it fails.
    answer.catch(() => {})
    return answer
  }

  announce(list: 'tools' | 'prompts' | 'resources'): void {
    this.#call.announce(list)
  }
  resourceUpdated(uri: string): void {
    this.#call.resourceUpdated(uri)
  }
  closeStream(retryMs?: number): void {
    this.#call.closeStream(retryMs)
  }
}

function toSampleRequest(text: string): SampleRequest {
  const message: Message = { role: 'user', content: { type: 'text', text } }
  return { messages: [message], maxTokens: DEFAULT_MAX_TOKENS }
}

function textOf(content: Content | Content[] | undefined): string {
  const blocks = Array.isArray(content) ? content : content ? [content] : []
  return blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
}

/** Validates a form before the handler gets it. */
async function checkContent(schema: Schema, content: unknown): Promise<unknown> {
  if (isStandardSchema(schema)) {
    const result = await schema['~standard'].validate(content)
    if (!result.issues) return result.value
    throw new Error(`${FORM_MISMATCH}: ${describeIssue(result.issues)}`)
  }
  const check = formChecks.get(schema) ?? (await loadChecks()).compileResultCheck({ ...schema })
  formChecks.set(schema, check)
  const fault = check(content)
  if (fault) throw new Error(`${FORM_MISMATCH}: ${fault}`)
  return content
}

const FORM_MISMATCH = "The client's answer does not match the form"
const formChecks = new WeakMap<object, Check>()
