import { RateLimiterMemory, RateLimiterRes, RateLimiterSQLite } from 'rate-limiter-flexible'
import type { KeyRecord } from '../../../shared/contract/access/api-keys.ts'
import { PLAN_LIMITS, PLANS, type Plan } from '../../../shared/contract/access/scopes.ts'
import type { Database } from '../../store/database.ts'
import type { Principal } from './api-keys.ts'

const WINDOW_SECONDS = 3600
const CLOCK_RESOLUTION_MS = 1000

type Usage = KeyRecord['rateLimit']

export interface RateLimitVerdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  resetAt: number
  retryAfterSeconds: number
}

/** Fixed hourly windows per key. The first request starts a window. Counters are stored in the database and survive a restart. */
export class RateLimits {
  readonly #limiters: Record<Plan, RateLimiterSQLite>
  readonly #limits: Record<Plan, number>

  readonly #database: Database

  constructor(database: Database, enterpriseLimit: number = PLAN_LIMITS.enterprise) {
    this.#database = database
    this.#limits = { ...PLAN_LIMITS, enterprise: enterpriseLimit }
    const entries = PLANS.map(plan => [plan, createLimiter(database, this.#limits[plan])] as const)
    this.#limiters = Object.fromEntries(entries) as Record<Plan, RateLimiterSQLite>
  }

  /** Requests of a key in its current window. Refused ones do not count. */
  usage({ apiKeyId, plan }: Pick<KeyRecord, 'apiKeyId' | 'plan'>): Usage {
    const limit = this.#limits[plan]
    const window = this.#database
      .prepare<{ points: number; expire: number }>(
        'SELECT points, expire FROM rate_limits WHERE key = ? AND expire > ?',
      )
      .get([apiKeyId, Date.now()])
    if (!window) return { limit, used: 0, resetAt: null }
    return { limit, used: Math.min(window.points, limit), resetAt: new Date(window.expire).toISOString() }
  }

  async consume({ id, plan }: Principal): Promise<RateLimitVerdict> {
    const { allowed, result } = await take(this.#limiters[plan], id)
    const leftMs = Math.max(0, result.msBeforeNext)
    return {
      allowed,
      limit: this.#limits[plan],
      remaining: allowed ? Math.max(0, this.#limits[plan] - result.consumedPoints) : 0,
      resetAt: Math.ceil((Date.now() + leftMs) / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    }
  }
}

function createLimiter(database: Database, points: number): RateLimiterSQLite {
  return new RateLimiterSQLite({
    storeClient: database.relaxed,
    storeType: 'better-sqlite3',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    points,
    duration: WINDOW_SECONDS,
    // Counters that cannot be written, for example on a full disk, are kept in memory.
    insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
  })
}

/** `consume` rejects with a RateLimiterRes when the limit is exceeded, and with an Error when the limiter fails. */
async function take(
  limiter: RateLimiterSQLite,
  id: string,
): Promise<{ allowed: boolean; result: RateLimiterRes }> {
  try {
    return { allowed: true, result: await consume(limiter, id) }
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { allowed: false, result: rejection }
    throw rejection
  }
}

/**
 * A window that ends more than an hour from now was started before the clock was set back. It is moved to the present with
 * its count, so that the key waits at most an hour and does not get a second allowance.
 */
async function consume(limiter: RateLimiterSQLite, id: string): Promise<RateLimiterRes> {
  const result = await limiter.consume(id).catch((rejection: unknown) => {
    if (rejection instanceof RateLimiterRes) return rejection
    throw rejection
  })
  const present = isFromFuture(result) ? await limiter.set(id, result.consumedPoints, WINDOW_SECONDS) : result
  if (present.consumedPoints > limiter.points) throw present
  return present
}

function isFromFuture({ msBeforeNext }: RateLimiterRes): boolean {
  return msBeforeNext > WINDOW_SECONDS * 1000 + CLOCK_RESOLUTION_MS
}
