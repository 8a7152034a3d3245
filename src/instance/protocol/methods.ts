import type { ClientContext } from '../server/client-context.ts'
import type { PreparedServer, PreparedTool, ServerCapabilities } from '../server/prepared-server.ts'
import { type CompleteParams, ResultText } from '../server/results.ts'
import { isObject, RPC, RpcError } from './json-rpc.ts'

/** A result as serialized members without braces. `_meta` is separate, because the eras add to it. */
export interface MethodResult {
  members: string
  meta?: Record<string, unknown> | undefined
  /** True when a tool returned `isError`. */
  failed: boolean
}

export type Params = Record<string, unknown>
export type Method = (
  server: PreparedServer,
  params: Params,
  context: ClientContext,
) => MethodResult | Promise<MethodResult>

/** Methods of both eras with the capability that each requires. */
const METHODS: ReadonlyMap<string, { capability: keyof ServerCapabilities; run: Method }> = new Map([
  ['tools/call', { capability: 'tools', run: callTool }],
  ['tools/list', { capability: 'tools', run: list('listTools') }],
  ['resources/list', { capability: 'resources', run: list('listResources') }],
  ['resources/templates/list', { capability: 'resources', run: list('listResourceTemplates') }],
  ['resources/read', { capability: 'resources', run: readResource }],
  ['prompts/list', { capability: 'prompts', run: list('listPrompts') }],
  ['prompts/get', { capability: 'prompts', run: getPrompt }],
  ['completion/complete', { capability: 'completions', run: complete }],
] as const)

/** Undefined when the server does not offer the method. The client then gets "method not found". */
export function findMethod(server: PreparedServer, name: string): Method | undefined {
  const method = METHODS.get(name)
  return method && server.capabilities[method.capability] ? method.run : undefined
}

/** Answers a request for a method that the server does not offer. */
export function missingMethod(): never {
  throw new RpcError(RPC.methodNotFound, 'Method not found')
}

/** Tool that a `tools/call` names, if it exists. */
export function toolOf(server: PreparedServer, method: string, params: Params): PreparedTool | undefined {
  return method === 'tools/call' && typeof params.name === 'string' ? server.findTool(params.name) : undefined
}

function callTool(
  server: PreparedServer,
  params: Params,
  context: ClientContext,
): MethodResult | Promise<MethodResult> {
  const name = requireText(params, 'name')
  const tool = server.findTool(name)
  if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name}`)
  const args = params.arguments ?? {}
  if (!isObject(args)) throw invalidField('arguments', 'an object')
  const result = tool.call(args, context)
  return result instanceof Promise ? result.then(serialize) : serialize(result)
}

function list(method: 'listTools' | 'listResources' | 'listResourceTemplates' | 'listPrompts'): Method {
  return (server, params, context) => {
    const { cursor } = params
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidField('cursor', 'a string')
    const page = server[method](cursor, context)
    if (typeof page === 'string') return { members: page, failed: false }
    return page.then(members => ({ members, failed: false }))
  }
}

async function readResource(
  server: PreparedServer,
  params: Params,
  context: ClientContext,
): Promise<MethodResult> {
  const uri = requireText(params, 'uri')
  if (!server.hasResource(uri)) throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`, { uri })
  return serialize(await server.readResource(uri, context))
}

async function getPrompt(
  server: PreparedServer,
  params: Params,
  context: ClientContext,
): Promise<MethodResult> {
  const name = requireText(params, 'name')
  const args = params.arguments ?? {}
  if (!isObject(args) || !Object.values(args).every(value => typeof value === 'string'))
    throw invalidField('arguments', 'an object of strings')
  return serialize(await server.getPrompt(name, args as Record<string, string>, context))
}

async function complete(
  server: PreparedServer,
  params: Params,
  context: ClientContext,
): Promise<MethodResult> {
  if (!isCompleteParams(params))
    throw new RpcError(
      RPC.invalidParams,
      'Invalid params: completion/complete requires ref (ref/prompt with name, or ref/resource with uri) and argument {name, value}',
    )
  return serialize(await server.complete(params, context))
}

function isCompleteParams(params: unknown): params is CompleteParams {
  if (!isObject(params) || !isObject(params.ref) || !isObject(params.argument)) return false
  const { ref, argument } = params
  const named =
    (ref.type === 'ref/prompt' && typeof ref.name === 'string') ||
    (ref.type === 'ref/resource' && typeof ref.uri === 'string')
  return named && typeof argument.name === 'string' && typeof argument.value === 'string'
}

function serialize(result: object): MethodResult {
  if (result instanceof ResultText) return result
  const { _meta: meta, isError } = result as { _meta?: Record<string, unknown>; isError?: boolean }
  const plain = meta === undefined ? result : { ...result, _meta: undefined }
  return { members: JSON.stringify(plain).slice(1, -1), meta, failed: isError === true }
}

function requireText(params: Params, field: string): string {
  const value = params[field]
  if (typeof value !== 'string') throw invalidField(field, 'a string')
  return value
}

function invalidField(field: string, expected: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: "${field}" must be ${expected}`)
}
