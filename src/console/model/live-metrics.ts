import { type Signal, signal } from '@preact/signals'
import type { LiveMetrics } from '../../shared/contract/monitoring/metrics.ts'

type LiveDeployment = LiveMetrics['deployments'][number]

/** Live figures of one deployment, newest last. */
export interface Activity {
  current: LiveDeployment
  requestsPerSecond: readonly number[]
  errorRate: readonly number[]
  p99Ms: readonly number[]
}

const MAX_POINTS = 60
const MIB = 1_048_576

/** Minute of the newest figures. Undefined before the first ones. */
export const measuredMinute = signal<string | undefined>(undefined)

const activities = new Map<string, Signal<Activity | undefined>>()

/** One signal per deployment, so that a tick only renders rows with changed figures. */
export function activityOf(deploymentId: string): Signal<Activity | undefined> {
  const known = activities.get(deploymentId)
  if (known) return known
  const created = signal<Activity | undefined>(undefined)
  activities.set(deploymentId, created)
  return created
}

/** Adds a tick from the feed. Deployments that the tick does not list are not live. */
export function recordMetrics({ timestamp, deployments }: LiveMetrics): void {
  measuredMinute.value = timestamp.slice(0, 'yyyy-mm-ddThh:mm'.length)
  const live = new Set(deployments.map(({ deploymentId }) => deploymentId))
  for (const [id, activity] of activities) if (!live.has(id) && activity.value) activity.value = undefined
  for (const current of deployments) {
    const activity = activityOf(current.deploymentId)
    const before = activity.peek()
    if (!before || !looksTheSame(before, current)) activity.value = append(before, current)
  }
}

/** Whether a tick changes nothing on the page. Most deployments are idle most of the time. */
function looksTheSame({ current: before, requestsPerSecond }: Activity, current: LiveDeployment): boolean {
  const mebibytes = ({ memoryBytes }: LiveDeployment) => Math.round(memoryBytes / MIB)
  return (
    requestsPerSecond.every(rate => rate === 0) &&
    current.requests.total === 0 &&
    current.activeRequests === before.activeRequests &&
    current.instances === before.instances &&
    mebibytes(current) === mebibytes(before)
  )
}

function append(before: Activity | undefined, current: LiveDeployment): Activity {
  const { requestsPerSecond, requests } = current
  const add = (values: readonly number[] | undefined, value: number) => [
    ...(values ?? []).slice(1 - MAX_POINTS),
    value,
  ]
  return {
    current,
    requestsPerSecond: add(before?.requestsPerSecond, requestsPerSecond),
    errorRate: add(before?.errorRate, requests.errorRate),
    p99Ms: add(before?.p99Ms, requests.p99Ms),
  }
}
