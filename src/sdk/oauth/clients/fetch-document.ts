import { lookup as systemLookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from '../../../shared/network/special-addresses.ts'

export const MAX_DOCUMENT_BYTES = 64 * 1024
const TIMEOUT_MS = 5_000

export interface FetchDocumentOptions {
  /** Default: allows only public addresses. */
  isAllowed?: (address: string) => boolean
  lookup?: LookupFunction
  /** Certificate authority in PEM that replaces the system's authorities. */
  ca?: string
  /** Time limit for the whole request. Default: 5000. */
  timeoutMs?: number
}

export interface FetchedDocument {
  status: number
  headers: { 'content-type'?: string; 'cache-control'?: string }
  text: string
}

/**
 * Fetches an untrusted https URL without reaching private networks. Checks the resolved addresses when it connects, so that a
 * second DNS answer cannot bypass the check (DNS rebinding). Does not follow redirects. Limits size and time.
 */
export function fetchDocument(url: string, options: FetchDocumentOptions = {}): Promise<FetchedDocument> {
  const {
    isAllowed = address => !isPrivateAddress(address),
    lookup = systemLookup as LookupFunction,
    ca,
    timeoutMs = TIMEOUT_MS,
  } = options
  const { protocol, hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  // Literal addresses are not looked up.
  if (protocol !== 'https:' || (isIP(host) !== 0 && !isAllowed(host))) {
    return Promise.reject(new Error(`The URL ${url} is not https, or its address is not allowed.`))
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        headers: { accept: 'application/json', 'user-agent': 'mcp-hosting' },
        agent: false,
        lookup: guardedLookup(lookup, isAllowed),
        signal: AbortSignal.timeout(timeoutMs),
        ...(ca !== undefined && { ca }),
      },
      response => {
        readDocument(response).then(resolve, reject)
      },
    )
    outgoing.on('error', reject).end()
  })
}

/** Fails unless all addresses of the name are allowed. */
function guardedLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const addresses = Array.isArray(found) ? found : []
      const isClean = addresses.length > 0 && addresses.every(({ address }) => isAllowed(address))
      if (!isClean) return callback(new Error('The host has no address, or one that is not allowed.'), '')
      if (options.all) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

async function readDocument(response: IncomingMessage): Promise<FetchedDocument> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    // Leaving the loop destroys the connection.
    if (bytes > MAX_DOCUMENT_BYTES)
      throw new Error(`The document is longer than ${MAX_DOCUMENT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  }
}
