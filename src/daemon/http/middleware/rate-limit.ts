import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../../shared/errors.ts'
import type { RateLimits } from '../../services/access/rate-limits.ts'
import type { Bindings } from '../endpoint.ts'

/** Counts the request and sets the three rate limit headers on its answer (service interface section 8). */
export function rateLimit(limits: RateLimits): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    const principal = context.get('principal')
    const verdict = await limits.consume(principal)
    context.header('X-RateLimit-Limit', String(verdict.limit))
    context.header('X-RateLimit-Remaining', String(verdict.remaining))
    context.header('X-RateLimit-Reset', String(verdict.resetAt))
    if (!verdict.allowed) {
      context.header('Retry-After', String(verdict.retryAfterSeconds))
      throw new HostingError(
        'RATE_LIMITED',
        `The ${principal.plan} plan allows ${verdict.limit} requests per hour.`,
        { details: `Try again in ${verdict.retryAfterSeconds} s.` },
      )
    }
    await next()
  }
}
