import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MCP_BIN, runToEnd } from '../../test/helpers/daemon/mcp.ts'
import { descendantsOf, isRunning, processesNaming, readProc } from '../../test/helpers/processes.ts'
import type { Shown } from './shown.ts'

export interface BuildRecord {
  id: string
  status: string
  currentPhase: string
  endTime: string
  errorMessage: string
  imageDigest: string
}

export interface Line {
  timestamp: string
  stream: string
  phase: string
  message: string
}

interface Page {
  items: BuildRecord[]
  nextToken: string | null
}

/** One daemon process, from its start to its exit. */
export interface DaemonLife {
  /** Creates a project from the archive and triggers its build. */
  trigger(archive: Buffer): Promise<void>
  /** Polls builds and their logs until this many builds have finished. */
  watchUntil(ended: number, shown: Shown): Promise<void>
  builds(): Promise<BuildRecord[]>
  /** Complete logs of the builds. */
  logs(builds: readonly BuildRecord[]): Promise<Map<string, Line[]>>
  /** Sends SIGKILL. Returns the processes that are left after ten seconds. */
  kill(): Promise<string[]>
  /** Stops the daemon the way a user does. Returns descriptions of everything left behind. */
  stop(): Promise<string[]>
}

const EXIT_TIMEOUT_MS = 10_000

export async function startLife(home: string): Promise<DaemonLife> {
  const env = { ...process.env, MCP_HOME: home, MCP_PORT: '0', NO_COLOR: '1' }
  const started = await runToEnd(process.execPath, [MCP_BIN, 'daemon', 'start', '--json'], { env })
  if (started.code !== 0) throw new Error(`the daemon does not start: ${started.stderr}`)
  const { url, pid } = JSON.parse(started.stdout)
  const key = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')).contexts.local.apiKey
  const call = async <T>(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type = 'application/json',
  ): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) }
    const response = await fetch(url + path, { method, headers, ...(body && { body }) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer as T
  }

  const readLog = async (id: string): Promise<Line[]> =>
    (await call<{ lines: Line[] }>('GET', `/api/lambda-builds/${id}/logs?limit=10000`)).lines
  const list = async (query: string): Promise<BuildRecord[]> => {
    const items: BuildRecord[] = []
    for (let token = ''; ; ) {
      const page = await call<Page>('GET', `/api/lambda-builds?limit=1000${query}${token}`)
      items.push(...page.items)
      if (page.nextToken === null) return items
      token = `&nextToken=${page.nextToken}`
    }
  }

  return {
    async trigger(archive) {
      const project = JSON.stringify({ name: `killed-${randomUUID()}` })
      const { id } = await call<{ id: string }>('POST', '/api/projects', project)
      await call('PUT', `/api/projects/${id}/source`, new Uint8Array(archive), 'application/gzip')
      await call('POST', `/api/lambda-builds/trigger/${id}`)
    },
    async watchUntil(ended, shown) {
      for (;;) {
        const running = await list('&status=in_progress')
        for (const { id } of running) shown.add(id, await readLog(id))
        const all = await list('')
        for (const { id } of all.filter(({ endTime }) => endTime !== '').slice(0, 5))
          shown.add(id, await readLog(id))
        if (all.filter(({ endTime }) => endTime !== '').length >= ended) return
        await wait(20)
      }
    },
    builds: () => list(''),
    async logs(builds) {
      const logs = new Map<string, Line[]>()
      for (const { id } of builds) logs.set(id, await readLog(id))
      return logs
    },
    kill() {
      const family = descendantsOf(pid)
      process.kill(pid, 'SIGKILL')
      return stillRunning(() => [pid, ...family].filter(isRunning))
    },
    async stop() {
      const { code, stderr } = await runToEnd(process.execPath, [MCP_BIN, 'daemon', 'stop'], { env })
      const left = await stillRunning(() => processesNaming(home))
      return [
        ...(code === 0 ? [] : [`mcp daemon stop exited with ${code}: ${stderr}`]),
        ...left.map(name => `the process ${name} is still running`),
      ]
    },
  }
}

/** Waits until there are no processes. Returns those that remain at the time limit. */
async function stillRunning(find: () => number[]): Promise<string[]> {
  const until = performance.now() + EXIT_TIMEOUT_MS
  while (find().length > 0 && performance.now() < until) await wait(20)
  return find().map(pid => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 100)}`)
}
