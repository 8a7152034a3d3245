import type { Pool } from './pool.ts'

/** Releases of one address whose sessions stay with them; beyond it the oldest one's move on. A process each may be 15 MB. */
const MAX_STAYING = 16

/** Tells the instances of a release where the sessions of those before it still are. */
export class StayingSessions {
  readonly #pools: ReadonlyMap<string, Pool>

  constructor(pools: ReadonlyMap<string, Pool>) {
    this.#pools = pools
  }

  async handOn(from: string, to: string): Promise<void> {
    const old = this.#pools.get(from)
    const instances = (await old?.keepSessions()) ?? []
    const next = this.#pools.get(to)
    if (!old || !next) return // removed meanwhile
    const kept = instances.length > 0 ? [{ version: from, instances }] : []
    const all = [...old.staying.earlier, ...kept]
    for (const { version } of all.slice(0, -MAX_STAYING)) this.#pools.get(version)?.staying.letSessionsGo()
    next.staying.earlier = all.slice(-MAX_STAYING)
  }

  /** Of the releases before this one. */
  list(id: string): { deployment_id: string; sessions: number }[] {
    const earlier = this.#pools.get(id)?.staying.earlier ?? []
    return earlier.flatMap(({ version }) => {
      const sessions = this.#pools.get(version)?.staying.sessions ?? 0
      return sessions > 0 ? [{ deployment_id: version, sessions }] : []
    })
  }

  /** It has ended, and with it its sessions. */
  forget(id: string): void {
    for (const { staying } of this.#pools.values())
      if (staying.earlier.some(({ version }) => version === id))
        staying.earlier = staying.earlier.filter(({ version }) => version !== id)
  }
}
