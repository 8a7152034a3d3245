import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Program } from '../../../src/shared/definitions/artifact.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { beginSession, post, postModern, rpc } from '../clients/mcp-requests.ts'
import { type InstanceAddress, InstanceHarness } from './instance-harness.ts'

export const FIXTURE = fileURLToPath(new URL('../../fixtures/programs/stdio-server.mjs', import.meta.url))

type ExistingProgram = Exclude<Program, { type: 'module' | 'image' }>

/** An instance that serves a program, and its working directory. */
export interface ServedProgram {
  harness: InstanceHarness
  address: InstanceAddress
  url: string
  folder: string
  /** Log entries so far. */
  log(): { stream: string; level: string; message: string }[]
  close(): Promise<void>
}

export async function serveProgram(
  program: Partial<ExistingProgram> = {},
  changes: Partial<Tenant> = {},
): Promise<ServedProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-program-'))
  const logFile = join(folder, 'log')
  const harness = new InstanceHarness()
  const close = async () => {
    await harness.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const whole: ExistingProgram = {
    type: 'stdio',
    command: process.execPath,
    args: [FIXTURE],
    path: '/mcp',
    ...program,
    isolation: withoutSandbox(program.isolation),
  }
  try {
    const address = await harness.serve(createArtifact({ template: 'custom', program: whole }), {
      program: programFolders(folder),
      logFile,
      ...changes,
    })
    const log = () => readLines(logFile).map(line => JSON.parse(line))
    return { harness, address, url: address.url, folder, log, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Turns the sandbox off, so that programs see the process ids of the system. */
function withoutSandbox(isolation: ExistingProgram['isolation']): ExistingProgram['isolation'] {
  const settings = typeof isolation === 'object' ? isolation : isolation && { children: isolation }
  return { ...settings, sandbox: 'off' }
}

export function programFolders(folder: string): NonNullable<Tenant['program']> {
  return { folder, packages: join(folder, 'packages'), hidden: [], env: { PATH: process.env.PATH! } }
}

/** Lines of a log. Empty when the file does not exist yet. */
export function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').filter(Boolean)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A legacy client with a session. */
export interface SessionClient {
  headers: Record<string, string>
  /** Text of a tool's result. Throws the message of a JSON-RPC error. */
  call(name: string, args?: Record<string, unknown>): Promise<string>
  end(): Promise<void>
}

export async function openSession(url: string): Promise<SessionClient> {
  const headers = await beginSession(url)
  return {
    headers,
    call: async (name, args = {}) =>
      textOf((await post(url, rpc('tools/call', { name, arguments: args }), headers)).json),
    end: async () => {
      await fetch(url, { method: 'DELETE', headers })
    },
  }
}

/** Calls a tool without a session. */
export async function callModern(
  url: string,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  return textOf((await postModern(url, 'tools/call', { name, arguments: args })).json)
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any shape out of an answer.
function textOf(answer: any): string {
  if (answer?.error) throw new Error(answer.error.message)
  return answer.result.content[0].text
}

/** Number of open descriptors of a process. */
export function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Source of a program that speaks MCP over stdio without a package. Its tool `say` answers with the text. */
export const sayProgram = (answer: string): string => `
process.stdin.setEncoding('utf8')
let rest = ''
process.stdin.on('data', chunk => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    const result = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } },
      'tools/list': { tools: [{ name: 'say', description: 'x', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: '${answer}' }] },
    }[method]
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? {} }))
  }
})`
