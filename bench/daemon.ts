import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PLAIN_ENV, runNode } from './measure.ts'

export const mcp = fileURLToPath(new URL('../bin/mcp.js', import.meta.url))

/** Response fields that benchmarks read. */
export interface Deployed {
  mcp_id: string
  deployment_id: string
  url: string
  deploy_time: number
}

/** A dedicated daemon: real process, empty home, free port. */
export interface BenchDaemon {
  /** Changes with `restart`, like `pid`. */
  readonly url: string
  readonly pid: number
  env: NodeJS.ProcessEnv
  /** Returns `data` of a /v1 response or the body of an /api response. Bytes are sent unchanged as an archive. */
  call<T = Deployed>(method: string, path: string, body?: object): Promise<T>
  /** Kills or stops the daemon, and starts it again with the same home. */
  restart(how: 'SIGKILL' | 'command'): Promise<void>
  /** Stops the daemon and removes its home, unless the home was given. */
  stop(): Promise<void>
}

export async function startDaemon(extra: Record<string, string> = {}): Promise<BenchDaemon> {
  const home = extra.MCP_HOME ?? mkdtempSync(join(tmpdir(), 'mcp-bench-'))
  const env = { ...PLAIN_ENV, MCP_HOME: home, MCP_PORT: '0', NO_COLOR: '1', ...extra }
  const start = async () => JSON.parse(await runNode([mcp, 'daemon', 'start', '--json'], env))
  let running: { url: string; pid: number } = await start()
  const { contexts } = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8'))
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(running.url + path, {
      method,
      headers: {
        authorization: `Bearer ${contexts.local.apiKey}`,
        'content-type': body instanceof Uint8Array ? 'application/gzip' : 'application/json',
      },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    const answer = text ? JSON.parse(text) : undefined
    return (answer?.success === true ? answer.data : answer) as T
  }
  return {
    get url() {
      return running.url
    },
    get pid() {
      return running.pid
    },
    env,
    call,
    async restart(how) {
      if (how === 'command') await runNode([mcp, 'daemon', 'stop', '--json'], env)
      else process.kill(running.pid, how)
      running = await start()
    },
    async stop() {
      await runNode([mcp, 'daemon', 'stop', '--json'], env)
      if (extra.MCP_HOME === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Runs `work` with a dedicated daemon. An error from the work takes precedence over an error from the stop. */
export async function withDaemon<T>(
  extra: Record<string, string>,
  work: (daemon: BenchDaemon) => Promise<T>,
): Promise<T> {
  const daemon = await startDaemon(extra)
  let result: T
  try {
    result = await work(daemon)
  } catch (error) {
    await daemon.stop().catch(unstopped => console.error('The daemon did not stop either:', unstopped))
    throw error
  }
  await daemon.stop()
  return result
}

/** Deploys `server-0`, `server-1` and so on, one after another. */
export async function deployEchoServers(
  daemon: BenchDaemon,
  count: number,
  environment = 'production',
): Promise<Deployed[]> {
  const deployed: Deployed[] = []
  for (let index = 0; index < count; index++)
    deployed.push(await deployEcho(daemon, `server-${index}`, environment))
  return deployed
}

/** A declared server with one tool that returns its argument. */
export function echoServer(name: string): object {
  return {
    name,
    template: 'basic',
    tools: [
      {
        name: 'echo',
        description: 'Gives the text back',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        handler: { type: 'template', text: '{{ text }}' },
      },
    ],
  }
}

export async function deployEcho(
  daemon: BenchDaemon,
  name: string,
  environment: string,
  instances = 1,
): Promise<Deployed> {
  const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', echoServer(name))
  const scaling = { min_instances: instances, max_instances: instances }
  return daemon.call<Deployed>('POST', '/v1/deploy', { mcp_id, environment, config: { scaling } })
}

/** Stateless call of protocol 2026-07-28. */
export const MODERN_CALL = {
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'echo',
      arguments: { text: 'hello' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      },
    },
  }),
}

/** Calls the tool once and throws unless it answered. */
export async function callEcho(url: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', ...MODERN_CALL })
  const text = await response.text()
  if (!text.includes('"text":"hello"')) throw new Error(`no echo from ${url}: ${response.status} ${text}`)
}
