import type { TcpSocketConnectOpts } from 'node:net'

/** Arguments of a `socket.connect` call. */
export interface ConnectCall {
  options: Partial<TcpSocketConnectOpts> & { path?: unknown }
  onConnect: (() => void) | undefined
}

/** Parses the forms of `socket.connect(…)`. Node itself passes its arguments as one array. */
export function readConnectArguments(given: unknown[]): ConnectCall {
  const args = Array.isArray(given[0]) ? (given[0] as unknown[]) : given
  const last = args.at(-1)
  const onConnect = typeof last === 'function' ? (last as () => void) : undefined
  const [first, second] = args
  if (typeof first === 'object' && first !== null) return { options: { ...first }, onConnect }
  if (isPath(first)) return { options: { path: first }, onConnect }
  return {
    options: { port: first as number, ...(typeof second === 'string' && { host: second }) },
    onConnect,
  }
}

/** Distinguishes a path from a port the way Node does. */
function isPath(value: unknown): boolean {
  return typeof value === 'string' && !(Number(value) >= 0)
}
