import type { HealthReport } from '../../shared/deployments.ts'
import type { DeploymentState } from '../../shared/states.ts'
import type { ServedReport } from '../runtime/supervisor.ts'

type Check = HealthReport['checks'][number]

export interface HealthFacts {
  status: DeploymentState
  report: ServedReport
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

export function errorRateOf({ total, errors }: ServedReport['requests']): number {
  return total === 0 ? 0 : errors / total
}

function statusOf({ status, report, wanted, probe }: HealthFacts, checks: Check[]): HealthReport['status'] {
  const down = status !== 'deployed' || probe?.status === 'fail' || (wanted > 0 && readyCount(report) === 0)
  if (down) return 'unhealthy'
  return checks.some(check => check.status === 'fail') ? 'degraded' : 'healthy'
}

function readyCount(report: ServedReport): number {
  return report.instances.filter(({ state }) => state === 'ready').length
}

function stateCheck(status: DeploymentState): Check {
  return {
    name: 'state',
    status: status === 'deployed' ? 'pass' : 'fail',
    message: `the deployment is ${status}`,
  }
}

function instancesCheck({ report, wanted }: HealthFacts): Check {
  const ready = readyCount(report)
  const asleep = ready === 0 && wanted === 0
  const message = asleep ? 'asleep until the next connection' : `${ready} ready, ${wanted} wanted`
  return { name: 'instances', status: ready >= wanted ? 'pass' : 'fail', message }
}

function errorsCheck({ report: { requests } }: HealthFacts): Check {
  const rate = errorRateOf(requests)
  return {
    name: 'errors',
    status: rate < DEGRADED_ERROR_RATE ? 'pass' : 'fail',
    message: `${requests.errors} of ${requests.total} requests failed`,
  }
}
