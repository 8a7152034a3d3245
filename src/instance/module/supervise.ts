import type { Tenant } from '../../shared/instance-protocol.ts'
import { toolError } from '../handlers/answer.ts'
import { showRunning } from '../isolation/process-title.ts'
import { type ClientContext, type PreparedServer, type PreparedTool, RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'

export const DEFAULT_TIMEOUT_MS = 60_000

interface Limits {
  timeoutMs: number
  tell(message: string): void
}

/**
 * The same server, whose handlers are shown in the process's title while they run and have so much time to answer. Time
 * in which a client is asked does not count.
 */
export function supervise(server: PreparedServer, { handlerTimeoutMs }: Tenant): PreparedServer {
  let attached: Parameters<NonNullable<PreparedServer['attach']>>[0] | undefined
  const limits: Limits = {
    timeoutMs: handlerTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    tell: message => attached?.log('warn', message),
  }
  const tools = new Map<string, PreparedTool>()
  return {
    ...server,
    attach: outlet => {
      attached = outlet
      server.attach?.(outlet)
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
      return inTime(`resource "${uri}"`, call, limits, server.readResource(uri, call), failLate)
    },
    getPrompt: (name, args, call) => {
      showRunning('prompt', name)
      return inTime(`prompt "${name}"`, call, limits, server.getPrompt(name, args, call), failLate)
    },
    complete: (params, call) => {
      const { ref } = params
      const name = ref.type === 'ref/prompt' ? ref.name : ref.uri
      showRunning('completion', name)
      return inTime(`completion of "${name}"`, call, limits, server.complete(params, call), failLate)
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
      return result instanceof Promise ? inTime(`tool "${name}"`, call, limits, result, toolError) : result
    },
  }
}

function failLate(message: string): never {
  throw new RpcError(RPC.internalError, message)
}

/** Settles as the handler does, or as `onLate` does when that takes too long; its signal is aborted then. */
function inTime<Result>(
  what: string,
  call: ClientContext,
  { timeoutMs, tell }: Limits,
  result: Promise<Result>,
  onLate: (message: string) => Result,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (call.isAsking) timer = setTimeout(look, timeoutMs)
      else end()
    }
    const end = () => {
      const message = `The ${what} did not answer within ${timeoutMs / 1000} s.`
      call.cancel?.()
      tell(`${message} Its signal was aborted.`)
      try {
        resolve(onLate(message))
      } catch (error) {
        reject(error)
      }
    }
    let timer = setTimeout(look, timeoutMs)
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
