import {
  compareSessions,
  type EndedSessions,
  REPORT_LIMITS,
  type SessionPosition,
  type SessionQuery,
  type SessionReport,
} from '../../../shared/instances/session-reports.ts'

/** An instance that may have sessions. */
export interface SessionHolder {
  readonly id: string
  /** True once its process serves the server. Until then it has no sessions. */
  readonly isServing: boolean
  listSessions(query: SessionQuery): Promise<SessionReport[]>
  endSessions(ended: EndedSessions): Promise<string[]>
}

/** A deployment or preview, running or asleep. */
export interface SessionPool {
  readonly serverName: string
  readonly sessionHolders: readonly SessionHolder[]
}

export interface LiveSession extends SessionReport {
  /** Deployment or preview that serves the session. */
  servedId: string
  instanceIds: string[]
}

/** Answers of several instances to the same question. */
interface Answers<T> {
  given: { servedId: string; instanceId: string; value: T }[]
  /** Ids of instances that did not answer in time, because their code blocks them. */
  unanswered: string[]
}

const ANSWER_MS = 2000

/** Sessions of running servers. Instances keep them, so each call asks the instances. */
export class LiveSessions {
  readonly #pools: ReadonlyMap<string, SessionPool>
  readonly #answerMs: number

  constructor(pools: ReadonlyMap<string, SessionPool>, answerMs = ANSWER_MS) {
    this.#pools = pools
    this.#answerMs = answerMs
  }

  /** Ids of the deployments and previews of a server, including earlier releases that still serve their sessions. */
  idsOf(server: string): string[] {
    return [...this.#pools].filter(([, { serverName }]) => serverName === server).map(([id]) => id)
  }

  /** Newest first. A session that several instances serve is listed once. */
  async list(
    ids: readonly string[],
    { limit, ...query }: SessionQuery,
  ): Promise<{ sessions: LiveSession[]; unanswered: string[] }> {
    const sessions: LiveSession[] = []
    for (let { after } = query; ; after = sessions.at(-1)!) {
      const most = Math.min(limit - sessions.length, REPORT_LIMITS.sessions)
      const page = await this.#page(ids, {
        ...query,
        limit: most,
        ...(after && { after: positionOf(after) }),
      })
      sessions.push(...page.sessions)
      if (page.sessions.length < most || sessions.length >= limit)
        return { sessions, unanswered: page.unanswered }
    }
  }

  /**
   * Ends sessions and returns the ids of those that were open. Instances refuse later requests in all these sessions, open or
   * not.
   */
  async end(
    ids: readonly string[],
    ended: EndedSessions,
  ): Promise<{ ended: Set<string>; unanswered: string[] }> {
    const { given, unanswered } = await this.#ask(ids, holder => holder.endSessions(ended))
    return { ended: new Set(given.flatMap(({ value }) => value)), unanswered }
  }

  async #page(ids: readonly string[], query: SessionQuery) {
    const { given, unanswered } = await this.#ask(ids, holder => holder.listSessions(query))
    const merged = new Map<string, LiveSession>()
    for (const { servedId, instanceId, value } of given)
      for (const report of value) merge(merged, { ...report, servedId, instanceIds: [instanceId] })
    return { sessions: [...merged.values()].sort(compareSessions).slice(0, query.limit), unanswered }
  }

  async #ask<T>(
    ids: readonly string[],
    question: (holder: SessionHolder) => Promise<T>,
  ): Promise<Answers<T>> {
    const holders = ids.flatMap(servedId =>
      (this.#pools.get(servedId)?.sessionHolders ?? []).map(holder => ({ servedId, holder })),
    )
    const answers: Answers<T> = { given: [], unanswered: [] }
    await Promise.all(
      holders.map(async ({ servedId, holder }) => {
        // A starting instance has no sessions, but must learn which ones have ended.
        const answer = question(holder)
        if (!holder.isServing) return void answer.catch(() => {})
        const value = await this.#withinLimit(answer)
        if (value === LATE) answers.unanswered.push(holder.id)
        else if (value !== undefined) answers.given.push({ servedId, instanceId: holder.id, value })
      }),
    )
    return answers
  }

  /** `LATE` after the time limit. Undefined when the process has exited, because its sessions ended with it. */
  async #withinLimit<T>(answer: Promise<T>): Promise<T | undefined | typeof LATE> {
    const late = Promise.withResolvers<typeof LATE>()
    const timer = setTimeout(() => late.resolve(LATE), this.#answerMs)
    return await Promise.race([answer.catch(() => undefined), late.promise]).finally(() =>
      clearTimeout(timer),
    )
  }
}

const LATE = Symbol('late')

function positionOf({ id, startedAt }: SessionPosition): SessionPosition {
  return { id, startedAt }
}

/** Adds what another instance reports about a session. Only the instance that answered `initialize` knows the client. */
function merge(merged: Map<string, LiveSession>, report: LiveSession): void {
  const known = merged.get(report.id)
  if (!known) return void merged.set(report.id, report)
  const newest = known.lastUsedAt >= report.lastUsedAt ? known : report
  merged.set(report.id, {
    ...newest,
    ...((known.client ?? report.client) ? { client: known.client ?? report.client! } : {}),
    requests: known.requests + report.requests,
    activeRequests: known.activeRequests + report.activeRequests,
    openStreams: known.openStreams + report.openStreams,
    subscriptions: [...new Set([...known.subscriptions, ...report.subscriptions])],
    instanceIds: [...known.instanceIds, ...report.instanceIds],
  })
}
