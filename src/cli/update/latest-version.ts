import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { readJsonFile } from '../project/json-file.ts'

/** Result of the last check. */
export interface KnownVersion {
  /** Also set after a failed check, so that a machine without network tries once a day. */
  checkedAt: string
  latest?: string
  /** Time of the last hint. */
  shownAt?: string
}

const REGISTRY = 'https://registry.npmjs.org'
const TIMEOUT_MS = 5000
const MAX_BYTES = 1024 * 1024

/** Undefined before the first check. */
export function readKnownVersion({ updateCheck }: HomePaths): KnownVersion | undefined {
  try {
    return readJsonFile(updateCheck) as KnownVersion | undefined
  } catch {
    return undefined // a damaged file is replaced by the next check
  }
}

export function saveKnownVersion({ updateCheck }: HomePaths, known: KnownVersion): void {
  writeFileAtomic(updateCheck, `${JSON.stringify(known)}\n`)
}

/** Asks the npm registry for the newest version: a plain GET of public package metadata. Keeps the known version on failure. */
export async function checkLatestVersion(paths: HomePaths, env: NodeJS.ProcessEnv): Promise<void> {
  const known = readKnownVersion(paths)
  const latest = await fetchLatest(env).catch(() => undefined)
  saveKnownVersion(paths, { ...known, checkedAt: new Date().toISOString(), ...(latest && { latest }) })
}

async function fetchLatest({ npm_config_registry: registry = REGISTRY }: NodeJS.ProcessEnv): Promise<string> {
  const url = new URL(`${registry.replace(/\/$/, '')}/mcp-hosting/latest`)
  const { get } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https')
  const text = await new Promise<string>((resolve, reject) => {
    const sent = get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, response => {
      let received = ''
      response.setEncoding('utf8').on('error', reject)
      response.on('data', (part: string) => {
        received += part
        if (received.length > MAX_BYTES) response.destroy(new Error('too long'))
      })
      response.on('end', () => resolve(received))
    })
    sent.on('error', reject)
  })
  return (JSON.parse(text) as { version: string }).version
}
