import { get } from 'node:http'
import type { HealthReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type { DeploymentState } from '../../../shared/contract/states.ts'

type Check = HealthReport['checks'][number]

export interface HealthFacts {
  status: DeploymentState
  instances: HealthReport['instances']
  /** Requests in the last few minutes. Older failures say nothing about the current state. */
  recent: NonNullable<HealthReport['recent']>
  /** Minimum number of instances. 0 when the deployment may sleep. */
  wanted: number
  /** Result of a request to the server's health endpoint. Undefined when none was made. */
  probe: Check | undefined
}

/** A server with this share of failed requests is degraded. */
const DEGRADED_ERROR_RATE = 0.5

/** Computes the status from the facts. Makes no request. */
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

/** Requests a server's health endpoint through its public port, as a client would. Never throws. */
export function probeHealth(url: string, timeoutMs = 2000): Promise<Check> {
  const startedMs = performance.now()
  return new Promise(resolve => {
    const finish = (status: Check['status'], message: string) =>
      resolve({ name: 'endpoint', status, message })
    const request = get(url, { agent: false, timeout: timeoutMs }, response => {
      response.resume()
      const ms = Math.round(performance.now() - startedMs)
      finish(response.statusCode === 200 ? 'pass' : 'fail', `HTTP ${response.statusCode} in ${ms} ms`)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    request.on('error', error => finish('fail', error.message))
  })
}
