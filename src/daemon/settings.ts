import { homedir } from 'node:os'
import { join } from 'node:path'
import { HostingError } from '../shared/errors.ts'

export const DEFAULT_PORT = 6273
const NAMED_PORT = 6280
const NAMED_TLS_PORT = 6443

/** `MCP_PORT`: 0 lets the system pick one. Throws INVALID_REQUEST for what is no port. */
export function parsePort(text: string | undefined, otherwise = DEFAULT_PORT, name = 'MCP_PORT'): number {
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new HostingError(
    'INVALID_REQUEST',
    `${name} is "${text}": it must be a port from 0 to 65535 (0 picks a free one).`,
  )
}

/** `MCP_NAMED_PORT` and `MCP_NAMED_TLS_PORT`; a daemon with a port of the system's choice takes such ones here, too. */
export function readNamedPorts(env: NodeJS.ProcessEnv): { http: number; https: number } {
  const isOwn = env.MCP_PORT === '0'
  return {
    http: parsePort(env.MCP_NAMED_PORT, isOwn ? 0 : NAMED_PORT, 'MCP_NAMED_PORT'),
    https: parsePort(env.MCP_NAMED_TLS_PORT, isOwn ? 0 : NAMED_TLS_PORT, 'MCP_NAMED_TLS_PORT'),
  }
}

/** `MCP_IMAGE_REPOSITORY`, `MCP_BASE_IMAGE`, and the credentials that `docker login` keeps. */
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

/** A whole number from the environment; undefined when it is not set. Throws INVALID_REQUEST for anything else. */
export function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${name} is "${text}": it must be a whole number, 0 or more.`)
}

/** `MCP_INSTANCE_MEMORY_MB`: JavaScript heap of an instance. Throws INVALID_REQUEST for what nothing runs in, or is no number. */
export function parseMemoryLimit(text: string | undefined): number | undefined {
  const limit = parseCount('MCP_INSTANCE_MEMORY_MB', text)
  if (limit === undefined || limit >= 32) return limit
  throw new HostingError('INVALID_REQUEST', `MCP_INSTANCE_MEMORY_MB is "${text}": it must be 32 or more.`)
}
