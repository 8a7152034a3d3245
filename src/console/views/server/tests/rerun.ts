import type { StoreEnvironment } from '../../../../shared/contract/states.ts'
import type { SuiteRunRecord } from '../../../../shared/contract/testing/suite-runs.ts'
import type { Suite } from '../../../../shared/definitions/test-suite.ts'
import { HostingError } from '../../../../shared/errors.ts'
import { planSuite } from '../../../../shared/suite/plan.ts'
import { needsSchemas } from '../../../../shared/suite/run-cases.ts'
import type { SuiteTarget } from '../../../../shared/suite/suite-recorder.ts'
import { servers } from '../../../model/servers.ts'
import type { Place } from '../playground/place.ts'

/** The suite of a stored run. If the page cannot run it, throws an error that names the command to use. */
export function suiteOf({ id, definition }: SuiteRunRecord): Suite {
  if (!definition)
    throw new HostingError('NOT_FOUND', 'This run was stored without its suite, so it cannot run again.', {
      next: [{ description: 'Run the suite from its file', command: 'mcp test --suite <file>' }],
    })
  if (needsSchemas(planSuite(definition)))
    throw new HostingError(
      'INVALID_REQUEST',
      'This suite cannot run in the console, because it checks JSON Schemas.',
      {
        next: [{ description: 'Run it from the command line', command: `mcp test --suite ${id}` }],
      },
    )
  return definition
}

/** The build that the environment serves, or the newest one for the preview. Undefined when there is none. */
export function targetOf({ name, environment }: Place): SuiteTarget | undefined {
  const { deployments = [], build } = servers.value?.get(name) ?? {}
  const deployment = deployments.find(one => one.environment === environment)
  if (deployment) return { name, mcpId: deployment.mcp_id, deploymentId: deployment.deployment_id }
  return environment === 'preview' && build?.status === 'ready' ? { name, mcpId: build.mcp_id } : undefined
}

export function buildIn(environment: StoreEnvironment): string {
  return environment === 'preview' ? 'the newest build' : `the build in ${environment}`
}

/** Parses comma-separated model names and removes duplicates. */
export function parseModels(text: string): string[] {
  const models = text.split(',').map(model => model.trim())
  return [...new Set(models.filter(model => model !== ''))]
}
