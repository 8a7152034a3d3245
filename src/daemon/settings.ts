import { homedir } from 'node:os'
import { join } from 'node:path'
import { HostingError } from '../shared/errors.ts'

const DEFAULT_PORT = 6273
const NAMED_PORT = 6280
const NAMED_TLS_PORT = 6443

/** Parses `MCP_PORT`. 0 picks a free port. Throws INVALID_REQUEST for an invalid port. */
export function parsePort(text: string | undefined, defaultPort = DEFAULT_PORT, name = 'MCP_PORT'): number {
  if (text === undefined || text === '') return defaultPort
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new HostingError(
    'INVALID_REQUEST',
    `${name} is "${text}": it must be a port from 0 to 65535 (0 picks a free one).`,
  )
}

/** Reads `MCP_NAMED_PORT` and `MCP_NAMED_TLS_PORT`. With `MCP_PORT=0`, both default to 0. */
export function readNamedPorts(env: NodeJS.ProcessEnv): { http: number; https: number } {
  const isPicked = env.MCP_PORT === '0'
  return {
    http: parsePort(env.MCP_NAMED_PORT, isPicked ? 0 : NAMED_PORT, 'MCP_NAMED_PORT'),
    https: parsePort(env.MCP_NAMED_TLS_PORT, isPicked ? 0 : NAMED_TLS_PORT, 'MCP_NAMED_TLS_PORT'),
  }
}

/** Reads `MCP_IMAGE_REPOSITORY`, `MCP_BASE_IMAGE`, and the path of Docker's credentials. */
export function readRegistry(env: NodeJS.ProcessEnv): {
  imageRepository: string | undefined
  baseImage: string | undefined
  dockerConfig: string
} {
  const folder = env.DOCKER_CONFIG || join(homedir(), '.docker')
  return {
    imageRepository: env.MCP_IMAGE_REPOSITORY || undefined,
    baseImage: env.MCP_BASE_IMAGE || undefined,
    dockerConfig: join(folder, 'config.json'),
  }
}

/** Parses a whole number. Undefined when the variable is not set. Throws INVALID_REQUEST for anything else. */
export function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${name} is "${text}": it must be a whole number, 0 or more.`)
}

/** Parses `MCP_INSTANCE_MEMORY_MB`, the limit on the JavaScript heap of an instance. Throws INVALID_REQUEST for less than 32. */
export function parseMemoryLimit(text: string | undefined): number | undefined {
  const limit = parseCount('MCP_INSTANCE_MEMORY_MB', text)
  if (limit === undefined || limit >= 32) return limit
  throw new HostingError('INVALID_REQUEST', `MCP_INSTANCE_MEMORY_MB is "${text}": it must be 32 or more.`)
}
