import type { Artifact } from '../../shared/artifact.ts'
import type { LogLevel } from '../../shared/definitions.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import type {
  CallerSession,
  ClientContext,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ListMethod,
  PreparedServer,
  PreparedTool,
  ReadResourceResult,
  ServerOutlet,
} from '../prepared-server.ts'
import { passedCapabilities } from './capabilities.ts'
import { type Children, SharedChildren, type Use } from './children.ts'
import { commandLine, type ExistingProgram } from './command-line.ts'
import { type ChildEvents, McpChild } from './mcp-child.ts'
import { EarlyOutlet } from './outlet.ts'
import { ProcessGuard } from './process-guard.ts'
import type { Result } from './rpc-channel.ts'
import { SessionChildren, type SessionLimits } from './session-children.ts'
import { SessionWishes } from './session-wishes.ts'
import { startWithRetries } from './start-with-retries.ts'

const START_TIMEOUT_MS = 25_000

const MINUTE = 60_000

interface BridgeLimits extends SessionLimits {
  timeoutMs: number
  startTimeoutMs: number
}

/**
 * Serves a program that speaks MCP over standard input and output: every request is passed on to a child of it. Resolves
 * when the program has answered; rejects with ChildStartError when it does not become a server.
 */
export async function prepareStdioServer(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const program = artifact.program as ExistingProgram
  const limits = limitsOf(program, tenant)
  const outlet = new EarlyOutlet()
  const guard = new ProcessGuard()
  const children = createChildren(program, tenant, { outlet, guard, limits })
  try {
    await startWithRetries(tenant, () => children.start())
  } catch (error) {
    await children.close()
    guard.close()
    throw error
  }
  return new StdioServer(artifact, children, outlet, guard)
}

function limitsOf({ isolation, timeoutMs }: ExistingProgram, { handlerTimeoutMs }: Tenant): BridgeLimits {
  const { maxChildren = 100, idleMs = 10 * MINUTE } = typeof isolation === 'object' ? isolation : {}
  return {
    timeoutMs: handlerTimeoutMs ?? timeoutMs ?? 10 * MINUTE,
    startTimeoutMs: START_TIMEOUT_MS,
    maxChildren,
    idleMs,
  }
}

interface Parts {
  outlet: EarlyOutlet
  guard: ProcessGuard
  limits: BridgeLimits
}

function createChildren(
  program: ExistingProgram,
  tenant: Tenant,
  { outlet, guard, limits }: Parts,
): Children {
  const options = {
    outlet,
    spawn: (events: ChildEvents) => {
      const line = commandLine(program, tenant)
      outlet.warnOnce(line.gaps)
      return new McpChild(line, { guard, ...limits }, events)
    },
    onCrashLoop: (sentence: string) =>
      outlet.fail(`the program ends again and again; the last time it ${sentence}`),
  }
  return childrenMode(program) === 'session'
    ? new SessionChildren(options, limits)
    : new SharedChildren(options)
}

/** What the description found fit stands in the artifact; without it, one for all. */
function childrenMode({ isolation }: ExistingProgram): 'session' | 'shared' {
  return (typeof isolation === 'object' ? isolation.children : isolation) ?? 'shared'
}

class StdioServer implements PreparedServer {
  readonly info: PreparedServer['info']
  readonly instructions?: string
  readonly capabilities: PreparedServer['capabilities']
  readonly speaksUnasked = true
  readonly listTools = this.#list('tools/list')
  readonly listResources = this.#list('resources/list')
  readonly listResourceTemplates = this.#list('resources/templates/list')
  readonly listPrompts = this.#list('prompts/list')
  readonly #schemas: ReadonlyMap<string, Record<string, unknown>>
  /** Those of the artifact, as they are called. */
  readonly #tools = new Map<string, PreparedTool>()
  readonly #children: Children
  readonly #outlet: EarlyOutlet
  readonly #guard: ProcessGuard
  readonly #wishes: SessionWishes

  constructor(artifact: Artifact, children: Children, outlet: EarlyOutlet, guard: ProcessGuard) {
    const { serverInfo, capabilities, instructions } = children.running[0]!.facts!
    this.info = serverInfo
    if (instructions !== undefined) this.instructions = instructions
    this.capabilities = passedCapabilities(capabilities)
    this.#schemas = new Map(artifact.tools.map(({ name, inputSchema }) => [name, inputSchema]))
    this.#children = children
    this.#outlet = outlet
    this.#guard = guard
    this.#wishes = new SessionWishes(children)
  }

  attach(outlet: ServerOutlet): void {
    this.#outlet.attach(outlet)
  }

  /** Any name: the program may have tools that it had not when it was built. */
  findTool(name: string): PreparedTool {
    const known = this.#tools.get(name)
    if (known) return known
    const tool = this.#createTool(name)
    if (this.listsTool(name)) this.#tools.set(name, tool)
    return tool
  }

  listsTool(name: string): boolean {
    return this.#schemas.has(name)
  }

  /** The program knows; see `findTool`. */
  hasResource(): boolean {
    return true
  }

  readResource(uri: string, context: ClientContext): Promise<ReadResourceResult> {
    return this.#call('resources/read', { uri }, context)
  }

  getPrompt(name: string, args: Record<string, string>, context: ClientContext): Promise<GetPromptResult> {
    return this.#call('prompts/get', { name, arguments: args }, context)
  }

  complete(params: CompleteParams, context: ClientContext): Promise<CompleteResult> {
    return this.#call('completion/complete', { ...params }, context)
  }

  subscribe(uri: string, isWanted: boolean, context: ClientContext): Promise<void> {
    return this.#wishes.subscribe(uri, isWanted, context)
  }

  listen(uris: readonly string[], ended: AbortSignal): void {
    this.#wishes.listen(uris, ended)
  }

  setLogLevel(level: LogLevel, context: ClientContext): Promise<void> {
    return this.#wishes.setLevel(level, context)
  }

  notified(method: string, _params: Result, session: CallerSession): void {
    if (method === 'notifications/roots/list_changed') this.#children.of(session)?.notify(method)
  }

  async close(): Promise<void> {
    await this.#children.close()
    this.#guard.close()
  }

  #createTool(name: string): PreparedTool {
    return {
      name,
      inputSchema: this.#schemas.get(name) ?? NO_SCHEMA,
      streams: false,
      call: (args, context) =>
        this.#children.run(context, child => child.callTool({ name, arguments: args }, context)),
    }
  }

  #call<T>(method: string, params: Result, context: ClientContext): Promise<T> {
    const pass: Use<Result> = child => child.call(method, params, context)
    const answer = MAY_ASK.has(method)
      ? this.#children.run(context, pass)
      : this.#children.glance(context, pass)
    return answer as Promise<T>
  }

  #list(method: string): ListMethod {
    return async (cursor, context) => {
      const page = await this.#call<Result>(method, cursor === undefined ? {} : { cursor }, context!)
      return JSON.stringify(page).slice(1, -1)
    }
  }
}

/** What, besides a tool, a server may ask its client in the middle of (2026-07-28 basic/utilities/mrtr). */
const MAY_ASK = new Set(['prompts/get', 'resources/read'])
const NO_SCHEMA = Object.freeze({})
