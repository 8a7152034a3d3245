import type { ToolDefinition } from '../../sdk/define.ts'
import type { StandardResult, StandardSchema } from '../../sdk/schema.ts'
import type { ToolDefinition as Tool } from '../../shared/definitions/definitions.ts'
import { toolError } from '../handlers/answer.ts'
import type { Check } from '../handlers/argument-check.ts'
import { loadChecks } from '../handlers/load.ts'
import { isModernRevision } from '../protocol/revisions.ts'
import type { ClientContext } from '../server/client-context.ts'
import type { PreparedTool } from '../server/prepared-server.ts'
import type { CallToolResult } from '../server/results.ts'
import { isResult, throwQuestion, toStructured, toToolResult } from './answer.ts'
import { schemasOf } from './check-options.ts'
import type { HandlerErrors } from './handler-errors.ts'
import { ModuleContext, type ModuleScope } from './module-context.ts'
import { describeIssue, isStandardSchema } from './standard-schema.ts'

type Args = Record<string, unknown>
type Handler = ToolDefinition['handler']

export interface ModuleToolOptions {
  /** Definition in the artifact. */
  tool: Tool
  /** Definition in the module. A bare function is the handler. */
  definition: ToolDefinition | Handler
  scope: ModuleScope
  errors: HandlerErrors
}

/** A tool with a handler from the project. Its schema checks are created before the first call. */
export class ModuleTool implements PreparedTool {
  readonly name: string
  readonly inputSchema: Record<string, unknown>
  /** The answer becomes a stream when the handler sends its first message. */
  readonly streams = false
  readonly #handler: Handler
  readonly #schema: StandardSchema | undefined
  readonly #scope: ModuleScope
  readonly #errors: HandlerErrors
  readonly #checkArguments: Check
  readonly #checkResult: Check | undefined

  static async create(options: ModuleToolOptions): Promise<ModuleTool> {
    const { inputSchema, outputSchema } = options.tool
    const { compileArgumentCheck, compileResultCheck } = await loadChecks()
    return new ModuleTool(
      options,
      compileArgumentCheck(inputSchema),
      outputSchema && compileResultCheck(outputSchema),
    )
  }

  constructor(
    { tool, definition, scope, errors }: ModuleToolOptions,
    checkArguments: Check,
    checkResult: Check | undefined,
  ) {
    const input = typeof definition === 'function' ? undefined : schemasOf(definition).input
    this.name = tool.name
    this.inputSchema = tool.inputSchema
    this.#handler = typeof definition === 'function' ? definition : definition.handler.bind(definition)
    this.#schema = isStandardSchema(input) ? input : undefined
    this.#scope = scope
    this.#errors = errors
    this.#checkArguments = checkArguments
    this.#checkResult = checkResult
  }

  call(args: Args, call: ClientContext): CallToolResult | Promise<CallToolResult> {
    const fault = this.#checkArguments(args)
    if (fault) return this.#refuse(fault)
    try {
      // The schema's library adds what JSON Schema cannot express: transforms and refinements.
      const parsed = this.#schema ? this.#schema['~standard'].validate(args) : { value: args }
      const result = isThenable(parsed)
        ? Promise.resolve(parsed).then(value => this.#run(value, call))
        : this.#run(parsed, call)
      return result instanceof Promise ? result.catch(error => this.#failureResult(error, call)) : result
    } catch (error) {
      return this.#failureResult(error, call)
    }
  }

  #run(parsed: StandardResult<unknown>, call: ClientContext): CallToolResult | Promise<CallToolResult> {
    if (parsed.issues) return this.#refuse(describeIssue(parsed.issues))
    const answer = this.#handler(parsed.value, new ModuleContext(this.#scope, call))
    // Query builders are thenables but not promises.
    return isThenable(answer)
      ? Promise.resolve(answer).then(value => this.#finish(value, call))
      : this.#finish(answer, call)
  }

  #finish(value: unknown, call: ClientContext): CallToolResult {
    throwQuestion(value)
    const check = this.#checkResult
    if (!check) return toToolResult(value, isModern(call))
    const isWhole = isResult(value)
    if (isWhole && value.isError) return value
    const structured = isWhole ? value.structuredContent : value
    const fault = check(structured)
    if (fault)
      return toolError(`${this.name} returned an answer that does not match its output schema: ${fault}`)
    return isWhole ? value : toStructured(structured, isModern(call))
  }

  #refuse(fault: string): CallToolResult {
    return toolError(`Invalid arguments for ${this.name}: ${fault}`)
  }

  #failureResult(error: unknown, call: ClientContext): CallToolResult {
    return toolError(this.#errors.describe(this.name, error, call))
  }
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as PromiseLike<Value> | undefined | null)?.then === 'function'
}

function isModern(call: ClientContext): boolean {
  return isModernRevision(call.client.protocolVersion)
}
