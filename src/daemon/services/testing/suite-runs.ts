import type {
  NewSuiteRun,
  SuiteRunRecord,
  SuiteRunSummary,
} from '../../../shared/contract/testing/suite-runs.ts'
import type { Suite } from '../../../shared/definitions/test-suite.ts'
import { HostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import { redactSecrets } from '../../agent/redact-secrets.ts'
import type { SuiteRun } from '../../store/tables/suite-runs.ts'
import { getBuild } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/** A run takes up to a megabyte, so older runs are removed. */
const MAX_RUNS = { ofServer: 100, ofAll: 1000 }

type Dependencies = Pick<ServiceDependencies, 'clock' | 'store'>

/** Finished runs of test suites. Clients run suites and store the results here. */
export class SuiteRuns {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** `author`: name of the API key. Throws NOT_FOUND for an unknown build, or a deployment of another build. */
  create({ cases, definition, ...results }: NewSuiteRun, author: string): SuiteRunSummary {
    const { clock, store } = this.#deps
    const { mcpId, deploymentId = null } = results
    const { name: server } = getBuild(this.#deps, mcpId)
    if (deploymentId !== null && store.deployments.find(deploymentId)?.mcpId !== mcpId)
      throw new HostingError('NOT_FOUND', `Build ${mcpId} has no deployment "${deploymentId}".`)
    const run = { id: createId('srun'), server, ...results, deploymentId, author, createdAt: clock.now() }
    store.transaction(() => {
      store.suiteRuns.add(run, { cases, definition: withoutSecrets(definition) })
      store.suiteRuns.trim(server, MAX_RUNS)
    })
    return run
  }

  list(filter: { server: string | undefined }, limit: number, cursor?: string) {
    const { items, nextCursor } = this.#deps.store.suiteRuns.list(filter, limit, cursor)
    return { items, nextToken: nextCursor }
  }

  /** A run with its cases. Throws NOT_FOUND. */
  get(id: string): SuiteRunRecord {
    return { ...this.#find(id), ...this.#deps.store.suiteRuns.content(id) }
  }

  /** Throws NOT_FOUND. */
  remove(id: string): void {
    this.#deps.store.suiteRuns.remove(this.#find(id).id)
  }

  #find(id: string): SuiteRun {
    const run = this.#deps.store.suiteRuns.find(id)
    if (run) return run
    throw new HostingError('NOT_FOUND', `Suite run "${id}" does not exist.`, {
      details: 'GET /api/suite-runs lists all runs.',
    })
  }
}

/** The suite with secrets redacted. A suite is a file in a project, but a setting from the command line may be a secret. */
function withoutSecrets(definition: Suite | undefined): Suite | null {
  return definition === undefined ? null : JSON.parse(redactSecrets(JSON.stringify(definition)))
}
