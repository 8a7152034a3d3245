import type { ReleaseRecord } from '../../shared/contract/deployments/releases.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { followPhases } from '../api/follow-phases.ts'
import { defineCommand } from '../command-line/command.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { describeRelease } from '../output/tables/release-table.ts'
import { type DeployResult, reportFailedDeployment, settleDeployment } from '../project/deploy-server.ts'
import { MESSAGE_OPTION } from '../project/release-notes.ts'
import { ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { referTo } from '../targets/resolve-id.ts'
import { resolveRollback } from '../targets/rollback-target.ts'

export default defineCommand({
  name: 'rollback',
  description:
    'Create a deployment from the build and configuration of an earlier release, and switch to it without a failed request. Asks for the release at a terminal. Otherwise, and with --yes, returns to the previous release. Warns if environment variables change.',
  arguments: {
    deployment: {
      kind: 'server',
      doc: 'server name or live deployment id to return to the previous release, or the id of an earlier deployment to return to (default: the server of the project in this folder)',
    },
  },
  options: {
    ...ONE_DEPLOYMENT.options,
    to: {
      type: 'string',
      value: 'version',
      doc: 'version to return to, or id of its deployment (default: the previous release)',
    },
    message: MESSAGE_OPTION,
  },
  examples: {
    'mcp rollback weather --env production --yes': 'to the previous release',
    'mcp rollback weather --env production --to 3': 'to version 3',
    'mcp rollback dep_9x2m': 'to this deployment',
    'mcp releases weather': 'list releases',
  },
  async run(context, { deployment: reference, env, to, message }): Promise<ExitCode | undefined> {
    const { output } = context
    const api = await context.api()
    const { from, target, name, releases } = await resolveRollback(context, {
      reference,
      environment: env,
      to,
    })
    const record = await output.progress(`Rolling back ${name}`, async update => {
      const body = { ...(target !== undefined && { to: target }), ...(message !== undefined && { message }) }
      const accepted = await followPhases<DeployResult>(
        api,
        `/v1/deploy/${encodeURIComponent(from)}/rollback`,
        {
          body,
          timeoutMs: context.globals.timeout,
          onPhase: phase => update(`Rolling back ${name}: ${phase}`),
        },
      )
      return settleDeployment(context, accepted)
    })
    output.result(record, () => {
      if (record.status === 'failed') return
      const past = releases.find(one => one.deploymentId === (target ?? previousOf(from, releases)))
      const where = past ? describeRelease(past) : target
      output.line(
        `Rolled back ${name}${where ? ` to ${where}` : ''} in ${formatDurationMs(record.deploy_time * 1000)}`,
      )
      output.fields({ id: record.deployment_id, url: record.url, health: record.health_check })
      output.next({
        description: 'Show its state',
        command: `mcp status ${referTo(record.name ?? '', record)}`,
      })
    })
    output.warnOf(record)
    if (record.status === 'failed') return reportFailedDeployment(context, record, name)
  },
})

/** The release that the daemon returns to by default. */
function previousOf(from: string, releases: readonly ReleaseRecord[]): string | undefined {
  const at = releases.findIndex(({ deploymentId }) => deploymentId === from)
  return releases.slice(at + 1).find(({ deployedAt }) => deployedAt !== null)?.deploymentId
}
