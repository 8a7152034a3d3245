import { REPORT_LIMITS, type SessionReport } from '../../../shared/instances/session-reports.ts'
import { isCount, isListOf, isObject } from './message-checks.ts'

const COUNTS = ['requests', 'activeRequests', 'openStreams'] as const satisfies (keyof SessionReport)[]
const TIMES = ['startedAt', 'lastUsedAt'] as const satisfies (keyof SessionReport)[]
/** Format of the handles that `sessionHandle` creates (instance/protocol/legacy/session-id.ts). */
const HANDLE = /^(?:ses|sub)_[0-9a-f]{20}$/
/** Latest time that a Date can represent. */
const MAX_TIME_MS = 8.64e15

/** Checks a session in a message from a process. */
export function isSessionReport(report: unknown): boolean {
  return (
    isObject(report) &&
    typeof report.id === 'string' &&
    HANDLE.test(report.id) &&
    (report.kind === 'session' || report.kind === 'subscription') &&
    isText(report.label) &&
    isText(report.protocolVersion) &&
    (report.caller === undefined || isText(report.caller, REPORT_LIMITS.callerCharacters)) &&
    (report.client === undefined || isClient(report.client)) &&
    TIMES.every(name => isCount(report[name], MAX_TIME_MS)) &&
    COUNTS.every(name => Number.isSafeInteger(report[name]) && isCount(report[name])) &&
    isListOf(report.subscriptions, REPORT_LIMITS.subscriptions, name => isText(name))
  )
}

function isClient(client: unknown): boolean {
  return isObject(client) && isText(client.name) && isText(client.version)
}

function isText(value: unknown, most = REPORT_LIMITS.characters): boolean {
  return typeof value === 'string' && value.length <= most
}
