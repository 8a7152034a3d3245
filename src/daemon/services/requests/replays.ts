import type { ReplayRequest, ReplayResult } from '../../../shared/contract/monitoring/requests.ts'
import { HostingError } from '../../../shared/errors.ts'
import { REPLAY_OF } from '../../../shared/instances/log-line.ts'
import type { McpConnection } from '../../../shared/mcp-client/connect.ts'
import { mcpUrl } from '../addresses/addresses.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { FoundRequest, RequestRecords } from './request-records.ts'
import { type RequestOrigin, replayableArguments } from './to-record.ts'

type Dependencies = Pick<ServiceDependencies, 'addresses' | 'store'>

const TIMEOUT_MS = 60_000

/** Repeats recorded tool calls, as a client of the server. The first replay loads the client's code. */
export class Replays {
  readonly #deps: Dependencies
  readonly #records: RequestRecords

  constructor(deps: Dependencies, records: RequestRecords) {
    this.#deps = deps
    this.#records = records
  }

  /**
   * Throws NOT_FOUND, INVALID_REQUEST for a record that is not a tool call or whose arguments are not known, CONFLICT when
   * the server is not served in the environment, CANCELLED, and UNAVAILABLE when it cannot be reached.
   */
  async replay(id: string, { token, ...changes }: ReplayRequest, signal: AbortSignal): Promise<ReplayResult> {
    const found = await this.#records.find(id)
    const { tool, args } = readCall(id, found, changes.arguments)
    const { server, environment } = { ...found.origin, ...definedOnly(changes) }
    const url = this.#urlOf({ server, environment })
    const { connectToServer, MAX_RESPONSE_BYTES } = await import('../../../shared/mcp-client/connect.ts')
    const options = {
      signal,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(token !== undefined && { token }),
    }
    const connection = await connectToServer(url, options).catch(error => {
      throw explainFailure(error, server)
    })
    try {
      const call = { tool, args, id, signal }
      return { replayOf: id, environment, arguments: args, ...(await callTool(connection, call)) }
    } finally {
      await connection.close()
    }
  }

  #urlOf({ server, environment }: Pick<RequestOrigin, 'server' | 'environment'>): string {
    const { addresses, store } = this.#deps
    const address = addresses.find(server, environment)
    const isServed =
      environment === 'preview'
        ? store.servers.find(server)?.previewMcpId != null
        : store.deployments.findLive(server, environment) !== undefined
    // Another program may use the port of a closed address, and would receive the token.
    if (address && isServed && addresses.isOpen(address)) return mcpUrl(address)
    throw new HostingError('CONFLICT', `"${server}" is not served in ${environment}.`, {
      next: [{ description: 'List servers and deployments', command: 'mcp list' }],
    })
  }
}

interface Call {
  tool: string
  args: Record<string, unknown>
  /** Id of the record whose call is repeated. */
  id: string
  signal: AbortSignal
}

/** Calls the tool. Returns a failed call as an outcome, and throws CANCELLED when the signal aborts. */
async function callTool({ client }: McpConnection, { tool, args, id, signal }: Call) {
  const startedAt = performance.now()
  const request = { name: tool, arguments: args, _meta: { [REPLAY_OF]: id } }
  const called = client.callTool(request, { timeout: TIMEOUT_MS, signal })
  const { result, error } = await called.then(
    result => ({ result, error: result.isError ? 'The tool reported an error.' : null }),
    (error: Error) => {
      if (signal.aborted) throw new HostingError('CANCELLED', 'The replay was cancelled.', { cause: error })
      return { result: null, error: error.message }
    },
  )
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000
  return { durationMs, outcome: error === null ? ('ok' as const) : ('error' as const), result, error }
}

/** Throws INVALID_REQUEST. */
function readCall(id: string, { line }: FoundRequest, given: Record<string, unknown> | undefined) {
  if (line.method !== 'tools/call' || typeof line.tool !== 'string')
    throw new HostingError('INVALID_REQUEST', `Request "${id}" is not a tool call, so it cannot be repeated.`)
  const args = given ?? replayableArguments(line)
  if (args) return { tool: line.tool, args }
  throw new HostingError('INVALID_REQUEST', `The complete arguments of request "${id}" were not recorded.`, {
    details: 'They were not kept, were too long, or contained a secret. Pass them as `arguments`.',
  })
}

function definedOnly({ environment }: ReplayRequest): Pick<ReplayRequest, 'environment'> {
  return environment === undefined ? {} : { environment }
}

/** Reports a rejected token as INVALID_REQUEST, because 401 would blame the API key. */
function explainFailure(error: unknown, server: string): unknown {
  if (!(error instanceof HostingError) || error.code === 'CANCELLED') return error
  if (error.code === 'UNAUTHORIZED' || error.code === 'INSUFFICIENT_SCOPE')
    return new HostingError('INVALID_REQUEST', `"${server}" requires a valid token of a signed-in user.`, {
      details: 'Pass it as `token`, or as --token to mcp requests replay.',
      cause: error,
    })
  return new HostingError('UNAVAILABLE', `"${server}" could not be used: ${error.message}`, {
    cause: error,
    next: [{ description: 'Read its log', command: `mcp logs ${server}` }],
  })
}
