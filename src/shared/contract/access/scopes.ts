/** Permissions of a key (docs/decisions/api.md). */
export const SCOPES = ['READ', 'BUILD_AND_DEPLOY', 'CHAT', 'ADMIN'] as const
export type Scope = (typeof SCOPES)[number]

export const PLANS = ['free', 'pro', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** Requests per hour (service interface section 8). The enterprise limit is configurable. This is its default. */
export const PLAN_LIMITS: Readonly<Record<Plan, number>> = { free: 100, pro: 1000, enterprise: 1_000_000 }
