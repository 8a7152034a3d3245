import type { FromInstance, TenantMetrics } from '../../../shared/instances/instance-protocol.ts'
import { MAX_ANNOUNCED, MAX_SERIES, MAX_SESSION_ID } from '../../../shared/instances/instance-protocol.ts'
import { LATENCY_BUCKETS } from '../../../shared/instances/latency-buckets.ts'
import { MAX_SESSIONS, REPORT_LIMITS } from '../../../shared/instances/session-reports.ts'
import { isCount, isId, isListOf, isObject, type Members } from './message-checks.ts'
import { isSessionReport } from './session-report.ts'
import { isStateBatch } from './state-operation.ts'

const MAX_TENANTS = 10_000
/** Maximum number of sessions and subscription streams of a tenant. */
const MAX_OPEN_SESSIONS = MAX_SESSIONS + 1000
const MAX_MESSAGE_CHARACTERS = 64 * 1024
/** Largest count in one report. Sums of larger numbers would lose precision and eventually overflow. */
const MAX_COUNTED = 1e9
const MAX_SUM_MS = 1e12

const CHANGED_LISTS: readonly unknown[] = ['tools', 'resources', 'prompts']

/** Messages in an IPC message, which may be a batch. Undefined when one of them is malformed. */
export function parseInstanceMessages(input: unknown): FromInstance[] | undefined {
  const all =
    isObject(input) && input.type === 'several' && Array.isArray(input.messages) ? input.messages : [input]
  const messages = all.map(parseInstanceMessage)
  return messages.includes(undefined) ? undefined : (messages as FromInstance[])
}

/** Undefined when the input is malformed. Processes run user code, so every type and size is checked. */
export function parseInstanceMessage(message: unknown): FromInstance | undefined {
  if (!isObject(message) || typeof message.type !== 'string') return undefined
  const check = Object.hasOwn(CHECKS, message.type) ? CHECKS[message.type as FromInstance['type']] : undefined
  return check?.(message) ? (message as unknown as FromInstance) : undefined
}

const CHECKS: Record<FromInstance['type'], (message: Members) => boolean> = {
  ready: ({ egress }) => egress === undefined || egress === true,
  'open-peer-port': ({ tenantId, seq, key }) => isId(tenantId) && isCount(seq) && isId(key),
  'reach-peer': ({ tenantId, seq, port, key }) => isId(tenantId) && isCount(seq) && isPort(port) && isId(key),
  serving: ({ tenantId, prepareMs }) => isId(tenantId) && isCount(prepareMs),
  // The definitions themselves are validated by the build.
  described: ({ tenantId, described }) => isId(tenantId) && isDescription(described),
  failed: ({ tenantId, message, stack }) =>
    isId(tenantId) && isText(message) && (stack === undefined || isText(stack)),
  restarting: ({ tenantId, how }) => isId(tenantId) && isText(how),
  draining: ({ tenantId }) => isId(tenantId),
  drained: ({ tenantId }) => isId(tenantId),
  retired: ({ tenantId, lastSeq }) => isId(tenantId) && isCount(lastSeq),
  kept: ({ tenantId, port }) => isId(tenantId) && isPort(port),
  'log-held': ({ tenantId }) => isId(tenantId),
  sessions: ({ tenantId, sessions }) =>
    isId(tenantId) && isListOf(sessions, REPORT_LIMITS.sessions, isSessionReport),
  'sessions-ended': ({ tenantId, ids }) => isId(tenantId) && isListOf(ids, MAX_OPEN_SESSIONS, isId),
  announce: ({ tenantId, lists, uris, used, ended }) =>
    isId(tenantId) &&
    isListOf(lists, CHANGED_LISTS.length, list => CHANGED_LISTS.includes(list)) &&
    isListOf(uris, MAX_ANNOUNCED, isText) &&
    isListOf(used, MAX_ANNOUNCED, isSessionId) &&
    isListOf(ended, MAX_ANNOUNCED, isSessionId),
  claim: ({ tenantId, session, port, gone }) =>
    isId(tenantId) && isSessionId(session) && isPort(port) && isPort(gone),
  wake: ({ tenantId }) => isId(tenantId),
  store: ({ tenantId, operations }) => isId(tenantId) && isStateBatch(operations),
  alive: () => true,
  took: ({ seq }) => isCount(seq),
  borrowed: ({ leaseId }) => isCount(leaseId),
  accepted: ({ leaseId, count }) => isCount(leaseId) && isCount(count),
  metrics: ({ memoryBytes, utilization, tenants }) =>
    isCount(memoryBytes) &&
    isCount(utilization) &&
    Array.isArray(tenants) &&
    tenants.length <= MAX_TENANTS &&
    tenants.every(isTenantMetrics),
}

const COUNTS = [
  'connections',
  'activeRequests',
  'sessions',
  'requests',
  'errors',
  'lastRequestAt',
] as const satisfies (keyof TenantMetrics)[]

function isTenantMetrics(metrics: unknown): boolean {
  return (
    isObject(metrics) &&
    isId(metrics.tenantId) &&
    COUNTS.every(name => isCount(metrics[name])) &&
    Array.isArray(metrics.series) &&
    metrics.series.length <= MAX_SERIES &&
    metrics.series.every(isSeries)
  )
}

function isSeries(series: unknown): boolean {
  return (
    isObject(series) &&
    isId(series.method) &&
    isId(series.tool) &&
    isCount(series.requests, MAX_COUNTED) &&
    isCount(series.errors, MAX_COUNTED) &&
    isCount(series.sumMs, MAX_SUM_MS) &&
    Array.isArray(series.latencies) &&
    series.latencies.length <= 2 * LATENCY_BUCKETS &&
    series.latencies.every((value, at) => (at % 2 === 1 ? isCount(value, MAX_COUNTED) : isBucket(value)))
  )
}

function isBucket(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < LATENCY_BUCKETS
}

function isDescription(described: unknown): boolean {
  return (
    isObject(described) && ['tools', 'resources', 'prompts'].every(name => Array.isArray(described[name]))
  )
}

function isSessionId(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_SESSION_ID
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_MESSAGE_CHARACTERS
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
}
