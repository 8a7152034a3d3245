import type { ChangeEvent } from '../../../shared/contract/monitoring/events.ts'
import type { HealthReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { DeploymentRecords } from '../deployments/deployment-records.ts'
import type { ChangeObserver } from './change-feed.ts'

/** Delay of a check, because the instances of a release change several times in quick succession. */
const SETTLE_MS = 200
const ERRORS_EVERY_MS = 5000

type Dependencies = Pick<ServiceDependencies, 'background' | 'changes' | 'requestMetrics' | 'store'>

/**
 * Publishes an event when the health of a deployment changes. Checks the health after changes to the state or instances, after
 * failed requests, and regularly while the deployment is degraded.
 */
export class HealthWatch implements ChangeObserver {
  readonly #deps: Dependencies
  readonly #records: Pick<DeploymentRecords, 'healthStatus'>
  readonly #known = new Map<string, HealthReport['status']>()
  readonly #due = new Set<string>()
  #settling: NodeJS.Timeout | undefined

  constructor(deps: Dependencies, records: Pick<DeploymentRecords, 'healthStatus'>) {
    this.#deps = deps
    this.#records = records
  }

  onChange({ type, action, id, deploymentId }: ChangeEvent): void {
    if (type === 'deployment' && action === 'removed') this.#known.delete(id)
    else if (type === 'deployment') this.#check(id)
    else if (type === 'instance' && deploymentId !== undefined) this.#check(deploymentId)
  }

  start(): () => void {
    const watcher = this.#deps.requestMetrics.watch()
    const timer = setInterval(() => {
      for (const [id, { errors }] of watcher.take().sums) if (errors > 0) this.#check(id)
      for (const [id, status] of this.#known) if (status === 'degraded') this.#check(id)
    }, ERRORS_EVERY_MS).unref()
    return () => {
      clearInterval(timer)
      watcher.stop()
      this.#known.clear()
    }
  }

  #check(id: string): void {
    this.#due.add(id)
    this.#settling ??= setTimeout(() => this.#deps.background.attempt(() => this.#judge()), SETTLE_MS).unref()
  }

  #judge(): void {
    this.#settling = undefined
    if (this.#deps.background.closing) return
    const due = [...this.#due]
    this.#due.clear()
    for (const id of due) this.#judgeOne(id)
  }

  #judgeOne(id: string): void {
    const deployment = this.#deps.store.deployments.find(id)
    if (!deployment || deployment.status === 'deploying') return
    const status = this.#records.healthStatus(deployment)
    if (this.#known.get(id) === status) return
    this.#known.set(id, status)
    const { name: server, environment } = deployment
    this.#deps.changes.publish({ type: 'health', action: 'updated', id, server, environment, status })
  }
}
