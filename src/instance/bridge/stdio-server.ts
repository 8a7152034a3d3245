import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { LogLevel } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import type { CallerSession, ClientContext } from '../server/client-context.ts'
import type { ListMethod, PreparedServer, PreparedTool, ServerReporter } from '../server/prepared-server.ts'
import type {
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../server/results.ts'
import { type Children, SharedChildren, type UseChild } from './children/children.ts'
import { ClientSubscriptions } from './children/client-subscriptions.ts'
import { SessionChildren, type SessionLimits } from './children/session-children.ts'
import { forwardedCapabilities } from './forwarded-capabilities.ts'
import { type ChildEvents, McpChild } from './mcp-child.ts'
import { BufferedReporter } from './process/buffered-reporter.ts'
import type { RunnableProgram } from './process/program-command.ts'
import { localPrograms, type Programs } from './process/programs.ts'
import { startWithRetries } from './process/start-with-retries.ts'

const START_TIMEOUT_MS = 25_000

const MINUTE = 60_000

interface BridgeLimits extends SessionLimits {
  timeoutMs: number
  startTimeoutMs: number
}

/** Serves a command that speaks MCP over standard input and output. Rejects with ChildStartError. */
export function prepareStdioServer(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const program = artifact.program as RunnableProgram
  const reporter = new BufferedReporter()
  const programs = localPrograms(program, tenant, gaps => reporter.warnOnce(gaps))
  return bridgePrograms(artifact, tenant, { settings: program, reporter, programs })
}

/** Settings that commands and images have in common. */
type BridgeSettings = Pick<RunnableProgram, 'isolation' | 'timeoutMs'>

/**
 * Serves programs that speak MCP over standard input and output by forwarding every request to one of them. Resolves when the
 * first has answered `initialize`. Rejects with ChildStartError when it does not start as an MCP server.
 */
export async function bridgePrograms(
  artifact: Artifact,
  tenant: Tenant,
  {
    settings,
    reporter,
    programs,
  }: { settings: BridgeSettings; reporter: BufferedReporter; programs: Programs },
): Promise<PreparedServer> {
  const limits = limitsOf(settings, tenant)
  const children = createChildren(settings, { reporter, programs, limits })
  try {
    await startWithRetries(tenant, () => children.start())
  } catch (error) {
    await children.close()
    programs.close()
    throw error
  }
  return new StdioServer(artifact, children, reporter, programs)
}

function limitsOf({ isolation, timeoutMs }: BridgeSettings, { handlerTimeoutMs }: Tenant): BridgeLimits {
  const { maxChildren = 100, idleMs = 10 * MINUTE } = typeof isolation === 'object' ? isolation : {}
  return {
    timeoutMs: handlerTimeoutMs ?? timeoutMs ?? 10 * MINUTE,
    startTimeoutMs: START_TIMEOUT_MS,
    maxChildren,
    idleMs,
  }
}

interface Parts {
  reporter: BufferedReporter
  programs: Programs
  limits: BridgeLimits
}

function createChildren(settings: BridgeSettings, { reporter, programs, limits }: Parts): Children {
  const options = {
    reporter,
    spawn: (events: ChildEvents) => new McpChild(programs.start, limits, events),
    onCrashLoop: (sentence: string) =>
      reporter.fail(`the program keeps crashing. The last time it ${sentence}`),
  }
  return childrenMode(settings) === 'session'
    ? new SessionChildren(options, limits)
    : new SharedChildren(options)
}

/** Mode that the program needs, as recorded by the build. The default is one child for all clients. */
function childrenMode({ isolation }: BridgeSettings): 'session' | 'shared' {
  return (typeof isolation === 'object' ? isolation.children : isolation) ?? 'shared'
}

class StdioServer implements PreparedServer {
  readonly info: PreparedServer['info']
  readonly instructions?: string
  readonly capabilities: PreparedServer['capabilities']
  readonly sendsServerRequests = true
  readonly listTools = this.#list('tools/list')
  readonly listResources = this.#list('resources/list')
  readonly listResourceTemplates = this.#list('resources/templates/list')
  readonly listPrompts = this.#list('prompts/list')
  readonly #schemas: ReadonlyMap<string, Record<string, unknown>>
  /** Tools of the artifact, created on first use. */
  readonly #tools = new Map<string, PreparedTool>()
  readonly #children: Children
  readonly #reporter: BufferedReporter
  readonly #programs: Programs
  readonly #subscriptions: ClientSubscriptions

  constructor(artifact: Artifact, children: Children, reporter: BufferedReporter, programs: Programs) {
    const { serverInfo, capabilities, instructions } = children.running[0]!.facts!
    this.info = serverInfo
    if (instructions !== undefined) this.instructions = instructions
    this.capabilities = forwardedCapabilities(capabilities)
    this.#schemas = new Map(artifact.tools.map(({ name, inputSchema }) => [name, inputSchema]))
    this.#children = children
    this.#reporter = reporter
    this.#programs = programs
    this.#subscriptions = new ClientSubscriptions(children)
  }

  attach(reporter: ServerReporter): void {
    this.#reporter.attach(reporter)
  }

  /** Accepts any name, because the program may have tools that it did not have when it was built. */
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

  /** Accepts any URI, because only the program knows its resources. */
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
    return this.#subscriptions.subscribe(uri, isWanted, context)
  }

  listen(uris: readonly string[], ended: AbortSignal): void {
    this.#subscriptions.listen(uris, ended)
  }

  setLogLevel(level: LogLevel, context: ClientContext): Promise<void> {
    return this.#subscriptions.setLevel(level, context)
  }

  notified(method: string, _params: JsonObject, session: CallerSession): void {
    if (method === 'notifications/roots/list_changed') this.#children.of(session)?.notify(method)
  }

  async close(): Promise<void> {
    await this.#children.close()
    this.#programs.close()
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

  #call<T>(method: string, params: JsonObject, context: ClientContext): Promise<T> {
    const pass: UseChild<JsonObject> = child => child.call(method, params, context)
    const answer = ASKING_METHODS.has(method)
      ? this.#children.run(context, pass)
      : this.#children.query(context, pass)
    return answer as Promise<T>
  }

  #list(method: string): ListMethod {
    return async (cursor, context) => {
      const page = await this.#call<JsonObject>(method, cursor === undefined ? {} : { cursor }, context!)
      return JSON.stringify(page).slice(1, -1)
    }
  }
}

/** Methods besides `tools/call` during which a server may ask its client (2026-07-28 basic/utilities/mrtr). */
const ASKING_METHODS = new Set(['prompts/get', 'resources/read'])
const NO_SCHEMA = Object.freeze({})
