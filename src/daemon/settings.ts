import { HostingError } from '../shared/errors.ts'

export const DEFAULT_PORT = 6273

/** `MCP_PORT`: 0 lets the system pick one. Throws INVALID_REQUEST for what is no port. */
export function parsePort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new HostingError(
    'INVALID_REQUEST',
    `MCP_PORT is "${text}": it must be a port from 0 to 65535 (0 picks a free one).`,
  )
}

/** A whole number from the environment; undefined when it is not set. Throws INVALID_REQUEST for anything else. */
export function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new HostingError('INVALID_REQUEST', `${name} is "${text}": it must be a whole number, 0 or more.`)
}
