import type { HealthReport } from '../../shared/health-reports.ts'
import type { DeploymentState } from '../../shared/states.ts'

type Check = HealthReport['checks'][number]

export interface HealthFacts {
  status: DeploymentState
  instances: HealthReport['instances']
  /** Requests of the last minutes: what went wrong a month ago says nothing of today. */
  recent: NonNullable<HealthReport['recent']>
  /** Instances there must be; 0 when the deployment may sleep. */
  wanted: number
  /** Outcome of a real request to the server's own health endpoint; undefined when it sleeps or is not asked. */
  probe: Check | undefined
}

/** Share of failed requests from which a server that answers is called degraded. */
const DEGRADED_ERROR_RATE = 0.5

/** Judges what was seen; asks nothing itself. */
export function judgeHealth(facts: HealthFacts): Pick<HealthReport, 'status' | 'checks'> {
  if (facts.status === 'stopped') return { status: 'stopped', checks: [] }
  const checks = [stateCheck(facts.status), instancesCheck(facts), errorsCheck(facts)]
  if (facts.probe) checks.push(facts.probe)
  return { status: statusOf(facts, checks), checks }
}

function statusOf(
  { status, instances, wanted, probe }: HealthFacts,
  checks: Check[],
): HealthReport['status'] {
  const down =
    status !== 'deployed' || probe?.status === 'fail' || (wanted > 0 && readyCount(instances) === 0)
  if (down) return 'unhealthy'
  return checks.some(check => check.status === 'fail') ? 'degraded' : 'healthy'
}

function readyCount(instances: HealthFacts['instances']): number {
  return instances.filter(({ state }) => state === 'ready').length
}

function stateCheck(status: DeploymentState): Check {
  return {
    name: 'state',
    status: status === 'deployed' ? 'pass' : 'fail',
    message: `the deployment is ${status}`,
  }
}

function instancesCheck({ instances, wanted }: HealthFacts): Check {
  const ready = readyCount(instances)
  const asleep = ready === 0 && wanted === 0
  const message = asleep ? 'asleep until the next connection' : `${ready} ready, ${wanted} wanted`
  return { name: 'instances', status: ready >= wanted ? 'pass' : 'fail', message }
}

function errorsCheck({ recent: { total, errors, errorRate, windowSeconds } }: HealthFacts): Check {
  return {
    name: 'errors',
    status: errorRate < DEGRADED_ERROR_RATE ? 'pass' : 'fail',
    message: `${errors} of ${total} requests failed in the last ${windowSeconds / 60} minutes`,
  }
}
