import { MODERN_REVISIONS } from '../../shared/modern-envelope.ts'

/**
 * Protocol revisions. The legacy era has a handshake and sessions. The modern era is stateless, and every request names its
 * revision. Revisions are dates, so string comparison orders them by time.
 */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number]

export const LATEST_LEGACY: LegacyRevision = '2025-11-25'
/** Since this revision, a POST carries exactly one message. */
export const FIRST_WITHOUT_BATCHES = '2025-06-18'
/** Since this revision, clients accept an event without data (SEP-1699), so a stream can be resumed from its start. */
export const FIRST_WITH_PRIMING = '2025-11-25'

export function isModernRevision(revision: string): boolean {
  return revision >= MODERN_REVISIONS[0]
}

export function isLegacyRevision(revision: string): revision is LegacyRevision {
  return (LEGACY_REVISIONS as readonly string[]).includes(revision)
}

/** Revision for the answer to `initialize`: the client's if supported, otherwise the newest (2025-11-25 lifecycle). */
export function negotiateRevision(requested: unknown): LegacyRevision {
  return typeof requested === 'string' && isLegacyRevision(requested) ? requested : LATEST_LEGACY
}
