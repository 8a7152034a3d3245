import Database from 'better-sqlite3'
import { openStore } from '../src/daemon/store/store.ts'
import type { RequestMinute } from '../src/daemon/store/tables/request-history.ts'
import { RequestTally } from '../src/shared/instances/request-tally.ts'

const MINUTE_MS = 60_000
/** Ages of the releases of a server, oldest first. */
const AGES_MINUTES = [6 * 24 * 60, 42, 19]

interface Release {
  id: string
  server: string
  environment: string
  version: number
}

/**
 * Backdates the releases of a running daemon and adds made-up requests since then to its database, so that the pictures show
 * charts with data.
 */
export function addHistory(path: string): void {
  const releases = backdateReleases(path)
  const store = openStore(path)
  try {
    store.requestHistory.add(releases.flatMap(release => minutesOf(release, releases)))
  } finally {
    store.close()
  }
}

function minutesOf(release: Release, releases: readonly Release[]): RequestMinute[] {
  const { id, server, environment, version } = release
  const next = releases.find(
    one => one.server === server && one.environment === environment && one.version === version + 1,
  )
  const end = next ? ageOf(next) : 1
  return Array.from({ length: Math.max(0, ageOf(release) - end) }, (_, index) => end + index).map(ago => ({
    deploymentId: id,
    server,
    environment,
    minute: Math.floor(Date.now() / MINUTE_MS) - ago,
    series: [{ method: 'tools/call', tool: 'current_weather', ...countsOf(release, ago).counts() }],
  }))
}

/** Made-up counts: a daily rhythm with some noise, and a few minutes of slow calls and errors after a release. */
function countsOf({ server, version }: Release, ago: number): RequestTally {
  const tally = new RequestTally()
  const seed = server.length * 7
  const hour = (new Date().getHours() + 24 * 7 - ago / 60) % 24
  const isBad = version > 1 && ago > 33 && ago < 40
  const daily = Math.sin(((hour - 8) / 24) * 2 * Math.PI)
  const count = Math.round((seed % 23) + 80 + 40 * daily + 16 * noise(ago + seed))
  for (let one = 0; one < count; one++) {
    const share = noise(ago * 31 + one + seed)
    const ms = 3 + (seed % 5) + 3 * share + 4 * noise(Math.floor(ago / 4)) + (isBad ? 18 : 0)
    tally.record(ms, share < (isBad ? 0.25 : server === 'orders' ? 0.3 : 0))
  }
  return tally
}

function ageOf({ version }: Release): number {
  return AGES_MINUTES[version - 1] ?? 1
}

/** Number from 0 to 1, always the same for the same seed. */
function noise(seed: number): number {
  const wave = Math.sin(seed * 12.9898) * 43758.5453
  return wave - Math.floor(wave)
}

function backdateReleases(path: string): Release[] {
  const database = new Database(path, { timeout: 5000 })
  try {
    const releases = database
      .prepare('SELECT id, server, environment, version FROM releases')
      .all() as Release[]
    for (const release of releases) {
      const time = new Date(Date.now() - ageOf(release) * MINUTE_MS).toISOString()
      for (const table of ['releases', 'deployments'])
        database
          .prepare(`UPDATE ${table} SET created_at = ?, deployed_at = ? WHERE id = ?`)
          .run(time, time, release.id)
    }
    return releases
  } finally {
    database.close()
  }
}
