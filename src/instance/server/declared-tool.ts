import type { ToolDefinition } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { type Answer, toolError } from '../handlers/answer.ts'
import type { Check } from '../handlers/argument-check.ts'
import { createHandler } from '../handlers/create-handler.ts'
import { describeFailure } from '../handlers/failure.ts'
import type { Handler } from '../handlers/handler.ts'
import { loadChecks, loadSamples } from '../handlers/load.ts'
import { createScope, type ServerScope } from '../handlers/templates/scope.ts'
import { tryParseJson } from '../protocol/json-rpc.ts'
import type { CallContext } from './client-context.ts'
import type { PreparedTool } from './prepared-server.ts'
import type { CallToolResult } from './results.ts'

type Args = Record<string, unknown>

/** Created by the first call and reused. */
interface Parts {
  checkArguments: Check
  checkResult: Check | undefined
  handler: Handler
}

/** Tool of the artifact. Costs almost nothing before its first call. Later calls are synchronous if the handler is. */
export class DeclaredTool implements PreparedTool {
  readonly name: string
  readonly inputSchema: Record<string, unknown>
  readonly streams: boolean
  readonly #definition: ToolDefinition
  readonly #server: ServerScope
  readonly #tenant: Tenant
  #parts: Parts | undefined

  constructor(definition: ToolDefinition, server: ServerScope, tenant: Tenant) {
    const { handler } = definition
    this.name = definition.name
    this.inputSchema = definition.inputSchema
    this.streams = handler !== undefined && handler.type !== 'module' && Boolean(handler.emit?.length)
    this.#definition = definition
    this.#server = server
    this.#tenant = tenant
  }

  call(args: Args, context: CallContext): CallToolResult | Promise<CallToolResult> {
    return this.#parts ? this.#run(this.#parts, args, context) : this.#firstCall(args, context)
  }

  async #firstCall(args: Args, context: CallContext): Promise<CallToolResult> {
    try {
      this.#parts ??= await this.#prepare()
    } catch (error) {
      return this.#failureResult(error)
    }
    return this.#run(this.#parts, args, context)
  }

  async #prepare(): Promise<Parts> {
    const { handler, inputSchema, outputSchema } = this.#definition
    const checks = await loadChecks()
    return {
      checkArguments: checks.compileArgumentCheck(inputSchema),
      checkResult: outputSchema && checks.compileResultCheck(outputSchema),
      handler: handler
        ? await createHandler(handler, this.#tenant)
        : (await loadSamples()).createSampleHandler(this.#definition),
    }
  }

  #run(parts: Parts, args: Args, context: CallContext): CallToolResult | Promise<CallToolResult> {
    try {
      const fault = parts.checkArguments(args)
      if (fault) return toolError(`Invalid arguments for ${this.name}: ${fault}`)
      const answer = parts.handler(createScope(this.#server, args, context), context)
      if (!(answer instanceof Promise)) return this.#finish(parts, answer)
      return answer.then(value => this.#finish(parts, value)).catch(error => this.#failureResult(error))
    } catch (error) {
      return this.#failureResult(error)
    }
  }

  /** Checks the answer against the output schema, if the tool declares one (MCP, tools: output schema). */
  #finish({ checkResult }: Parts, answer: Answer): CallToolResult {
    const { json, ...result } = answer
    if (!checkResult || result.isError) return result
    const value = json === undefined ? parseOnlyText(answer) : json
    if (value === undefined)
      return toolError(`${this.name} declares an outputSchema, but its answer is not JSON`)
    const fault = checkResult(value)
    if (fault)
      return toolError(`${this.name} returned an answer that does not match its outputSchema: ${fault}`)
    return { ...result, structuredContent: value }
  }

  #failureResult(error: unknown): CallToolResult {
    return toolError(`${this.name} failed: ${describeFailure(error, this.#server.env)}`)
  }
}

/** Parses a text answer as JSON, which Liquid templates often produce. */
function parseOnlyText({ content }: Answer): unknown {
  const text = content.find(block => block.type === 'text')?.text
  return tryParseJson(String(text))
}
