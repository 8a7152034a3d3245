import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { interleave, median, timeMs } from './measure.ts'
import type { Figure } from './report.ts'
import { SEEDED, seedHome } from './rows/seed.ts'

const FEW = 1000
const MANY = Number(process.env.MCP_BENCH_ROWS ?? 1_000_000)
const ROUNDS = 11
const REQUESTS = 10

const containerLog = `/api/lambda-builds/${SEEDED.containerBuild}/logs`
const deploymentLog = `/api/lambda-deploy/${SEEDED.deployment}/logs`
const messages = `/api/chat-messages/chat/id/${SEEDED.chat}`

/** Measured queries, from the first page or from the middle of the list. */
const QUERIES: Record<string, { path: string; middle?: true }> = {
  'GET /v1/build': { path: '/v1/build?limit=100' },
  '… from the middle': { path: '/v1/build?limit=100', middle: true },
  '… by name and status': { path: `/v1/build?limit=5&name=${SEEDED.server}&status=ready` },
  'GET /v1/deploy': { path: '/v1/deploy?limit=100' },
  '… by environment, from the middle': { path: '/v1/deploy?limit=100&environment=production', middle: true },
  'GET /api/projects': { path: '/api/projects?limit=100' },
  '… by name': { path: '/api/projects?limit=5&name=project-8' },
  'GET /api/lambda-builds': { path: '/api/lambda-builds?limit=100' },
  '… from the middle ': { path: '/api/lambda-builds?limit=100', middle: true },
  '… by project and status': {
    path: `/api/lambda-builds?limit=100&projectId=${SEEDED.project}&status=succeeded`,
  },
  'GET /api/lambda-builds/{id}/logs': { path: `${containerLog}?limit=100` },
  '… from the middle  ': { path: `${containerLog}?limit=100`, middle: true },
  'GET /api/lambda-deploy/{id}/logs': { path: `${deploymentLog}?limit=100` },
  '… the last lines': { path: `${deploymentLog}?tail=100` },
  '… the last lines since a time': { path: `${deploymentLog}?tail=100&since=2026-01-01T00:00:00Z` },
  'GET /api/chats': { path: '/api/chats?limit=5' },
  'GET /api/chat-messages/chat/id/{chatId}': { path: `${messages}?limit=100` },
  '… from the middle   ': { path: `${messages}?limit=100`, middle: true },
  'GET /api/chat-messages/chat/id/{chatId}/count': { path: `${messages}/count` },
}

/** Lists, counts and log pages in a home with a million rows of each kind, compared with a home with a thousand. */
export async function benchRows(): Promise<Figure[]> {
  await using few = await startSeeded(FEW)
  await using many = await startSeeded(MANY)
  const figures: Figure[] = []
  for (const [name, { path, middle }] of Object.entries(QUERIES)) {
    const ask = async ({ daemon, rows }: Seeded) => {
      const token = middle ? await tokenInTheMiddle(daemon, path, rows) : ''
      return () => timeMs(() => askOften(daemon, path + token))
    }
    const rounds = await interleave(ROUNDS, { few: await ask(few), many: await ask(many) })
    figures.push(figure(name, rounds.few!, rounds.many!))
  }
  return figures
}

interface Seeded extends AsyncDisposable {
  daemon: BenchDaemon
  rows: number
}

async function startSeeded(rows: number): Promise<Seeded> {
  const home = mkdtempSync(join(tmpdir(), 'mcp-bench-rows-'))
  // The first start writes the secret key. Without the key, a daemon refuses a database that has rows.
  await (await startDaemon({ MCP_HOME: home })).stop()
  seedHome(home, rows)
  const daemon = await startDaemon({ MCP_HOME: home })
  return {
    daemon,
    rows,
    async [Symbol.asyncDispose]() {
      await daemon.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function askOften(daemon: BenchDaemon, path: string): Promise<void> {
  for (let request = 0; request < REQUESTS; request++) await daemon.call('GET', path)
}

interface Page {
  next_cursor?: string | null
  nextToken?: string | null
  items?: unknown[]
  lines?: unknown[]
}

/** Reads the first quarter of the rows, in large pages. Returns the query parameter of the next page. */
async function tokenInTheMiddle(daemon: BenchDaemon, path: string, rows: number): Promise<string> {
  const step = path.includes('/logs') ? Math.min(10_000, rows / 4) : Math.min(1000, rows / 8)
  const large = path.replace('limit=100', `limit=${step}`)
  let token = ''
  for (let seen = 0; seen < rows / 4; ) {
    const page = await daemon.call<Page>('GET', large + token)
    seen += (page.items ?? page.lines)!.length
    const next = page.next_cursor ?? page.nextToken
    if (!next) throw new Error(`${path} ends after ${seen} of ${rows}`)
    token = `&${path.startsWith('/v1/') ? 'cursor' : 'nextToken'}=${encodeURIComponent(next)}`
  }
  return token
}

function figure(name: string, few: number[], many: number[]): Figure {
  const ratio = median(many.map((value, round) => value / few[round]!))
  const each = (values: number[]) => `${(median(values) / REQUESTS).toFixed(2)} ms`
  return {
    name: name.trimEnd(),
    value: `${each(few)} → ${each(many)}, ${ratio.toFixed(2)}×`,
    measured: ratio,
    limit: { at: 'most', value: 2, unit: '×' },
  }
}
