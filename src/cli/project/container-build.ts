import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerBuildRecord } from '../../shared/contract/builds/container-builds.ts'
import type { ApiClient } from '../api/client.ts'
import { type LogEntry, readLogPage } from '../output/log-lines.ts'

const POLL_MS = 1000
const RUNNING = ['pending', 'in_progress']

/**
 * Log lines of a container build until the build has finished. Polls an API without event streams while the build is running.
 * Returns the last status in the log, if any.
 */
export async function* followBuildLog(
  api: ApiClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<LogEntry, string | undefined> {
  const path = logPath(id)
  let isStream = false
  const onStream = () => {
    isStream = true
  }
  let first: unknown
  for await (const event of api.stream<unknown>('GET', path, { onStream })) {
    if (isStream) yield event as LogEntry
    else first = event
  }
  return isStream ? undefined : yield* pollBuildLog(api, path, first, signal)
}

async function* pollBuildLog(
  api: ApiClient,
  path: string,
  first: unknown,
  signal: AbortSignal,
): AsyncGenerator<LogEntry, string | undefined> {
  let shown = 0
  for (let body = first; ; body = await api.get<unknown>(path)) {
    let count = 0
    for await (const line of readPages(api, path, {}, body)) if (++count > shown) yield line
    shown = Math.max(shown, count)
    const status = (body as { status?: unknown } | undefined)?.status
    if (typeof status !== 'string') return undefined
    if (!RUNNING.includes(status)) return status
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** All current log lines, from the first. */
export function readBuildLog(api: ApiClient, id: string): AsyncGenerator<LogEntry> {
  return readPages(api, logPath(id), {})
}

/** `first`: the first page if already read. */
export async function* readPages(
  api: ApiClient,
  path: string,
  query: Record<string, string | number | undefined>,
  first?: unknown,
): AsyncGenerator<LogEntry> {
  let body = first ?? (await api.get<unknown>(path, query))
  for (let token: string | undefined; ; ) {
    const { lines, nextToken } = readLogPage(body)
    yield* lines
    // An API that ignores the token would return the same page forever.
    if (nextToken === undefined || nextToken === token) return
    token = nextToken
    body = await api.get<unknown>(path, { ...query, nextToken })
  }
}

/** Current record of the build. If the API does not show builds, the old record with the last status in the log. */
export async function refreshBuild(
  api: ApiClient,
  build: ContainerBuildRecord,
  logStatus: string | undefined,
): Promise<ContainerBuildRecord> {
  try {
    return await api.get<ContainerBuildRecord>(`/api/lambda-builds/${encodeURIComponent(build.id)}`)
  } catch (error) {
    if (!api.isContractOnly) throw error
    return { ...build, status: (logStatus ?? build.status) as ContainerBuildRecord['status'] }
  }
}

function logPath(id: string): string {
  return `/api/lambda-builds/${encodeURIComponent(id)}/logs`
}
