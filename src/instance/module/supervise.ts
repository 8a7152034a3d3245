import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { toolError } from '../handlers/answer.ts'
import { showRunning } from '../isolation/process-title.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { ClientContext } from '../server/client-context.ts'
import type { PreparedServer, PreparedTool } from '../server/prepared-server.ts'

const DEFAULT_TIMEOUT_MS = 60_000
/** Minimum pause before the limit is checked again, while the handler waits for the client. */
const RECHECK_MS = 100

interface Limits {
  timeoutMs: number
  warn(message: string): void
}

/**
 * Wraps a server so that running handlers appear in the process title and are limited in time. Time spent waiting for the client
 * does not count.
 */
export function supervise(server: PreparedServer, { handlerTimeoutMs }: Tenant): PreparedServer {
  let attached: Parameters<NonNullable<PreparedServer['attach']>>[0] | undefined
  const limits: Limits = {
    timeoutMs: handlerTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    warn: message => attached?.log('warn', message),
  }
  const tools = new Map<string, PreparedTool>()
  return {
    ...server,
    attach: reporter => {
      attached = reporter
      server.attach?.(reporter)
    },
    findTool: name => {
      const known = tools.get(name)
      if (known) return known
      const tool = server.findTool(name)
      if (!tool) return undefined
      const supervised = superviseTool(tool, limits)
      tools.set(name, supervised)
      return supervised
    },
    readResource: (uri, call) => {
      showRunning('resource', uri)
      return withTimeout(`resource "${uri}"`, call, limits, server.readResource(uri, call), failLate)
    },
    getPrompt: (name, args, call) => {
      showRunning('prompt', name)
      return withTimeout(`prompt "${name}"`, call, limits, server.getPrompt(name, args, call), failLate)
    },
    complete: (params, call) => {
      const { ref } = params
      const name = ref.type === 'ref/prompt' ? ref.name : ref.uri
      showRunning('completion', name)
      return withTimeout(`completion of "${name}"`, call, limits, server.complete(params, call), failLate)
    },
  }
}

function superviseTool(tool: PreparedTool, limits: Limits): PreparedTool {
  const { name, inputSchema, streams } = tool
  return {
    name,
    inputSchema,
    streams,
    call: (args, call) => {
      showRunning('tool', name)
      const result = tool.call(args, call)
      return result instanceof Promise
        ? withTimeout(`tool "${name}"`, call, limits, result, toolError)
        : result
    },
  }
}

function failLate(message: string): never {
  throw new RpcError(RPC.internalError, message)
}

/** Settles like the handler. After the timeout, aborts the handler's signal and settles like `onLate`. */
function withTimeout<Result>(
  what: string,
  call: ClientContext,
  { timeoutMs, warn }: Limits,
  result: Promise<Result>,
  onLate: (message: string) => Result,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let elapsedMs = timeoutMs
    const check = () => {
      const remainingMs = timeoutMs + (call.waitedMs ?? 0) - elapsedMs
      if (!(remainingMs > 0)) return end()
      const pauseMs = Math.max(remainingMs, RECHECK_MS)
      elapsedMs += pauseMs
      timer = setTimeout(check, pauseMs)
    }
    const end = () => {
      const message = `The ${what} did not answer within ${timeoutMs / 1000} s.`
      call.cancel?.()
      warn(`${message} Its signal was aborted.`)
      try {
        resolve(onLate(message))
      } catch (error) {
        reject(error)
      }
    }
    let timer = setTimeout(check, timeoutMs)
    result.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
