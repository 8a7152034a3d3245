import { formatDurationMs } from '../../shared/duration.ts'
import { defineCommand } from '../command-line/command.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { type Deployed, reportFailedDeployment, settleDeployment } from '../project/deploy-server.ts'
import { ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { resolveRollback } from '../targets/rollback-target.ts'

export default defineCommand({
  name: 'rollback',
  description:
    'Create a deployment from the previous build and configuration, and switch to it without a failed request. With the id of an earlier deployment, return to that one. Warns if environment variables change.',
  arguments: {
    deployment: {
      doc: 'server name or live deployment id to return to its previous deployment, or the id of an earlier deployment to return to (default: the server of the project in this folder)',
    },
  },
  options: {
    ...ONE_DEPLOYMENT.options,
    to: { type: 'string', value: 'id', doc: 'deployment to return to (default: the previous one)' },
  },
  examples: {
    'mcp rollback weather --env production': 'to the previous deployment',
    'mcp rollback dep_9x2m': 'to this deployment',
    'mcp list --all': 'list earlier deployments',
  },
  async run(context, { deployment: reference, env, to }): Promise<ExitCode | undefined> {
    const { output } = context
    const api = await context.api()
    const { from, target, name } = await resolveRollback(api, { reference, environment: env, to })
    const record = await output.progress(`Rolling back ${name}`, async () => {
      const body = target === undefined ? {} : { to: target }
      return settleDeployment(
        context,
        await api.post<Deployed>(`/v1/deploy/${encodeURIComponent(from)}/rollback`, body),
      )
    })
    output.result(record, () => {
      if (record.status === 'failed') return
      const where = target === undefined ? '' : ` to ${target}`
      output.line(`Rolled back ${name}${where} in ${formatDurationMs(record.deploy_time * 1000)}`)
      output.fields({ id: record.deployment_id, url: record.url, health: record.health_check })
      output.next({ description: 'Show its state', command: `mcp status ${record.deployment_id}` })
    })
    for (const warning of record.warnings ?? []) output.warn(warning)
    if (record.status === 'failed') return reportFailedDeployment(context, record, name)
  },
})
