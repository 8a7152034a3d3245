import { formatDurationMs } from '../../shared/duration.ts'
import { defineCommand } from '../command.ts'
import { type Deployed, reportFailedDeployment, settleDeployment } from '../deploy-server.ts'
import { ONE_DEPLOYMENT } from '../deployment-action.ts'
import type { ExitCode } from '../exit-codes.ts'
import { resolveRollback } from '../rollback-target.ts'

export default defineCommand({
  name: 'rollback',
  summary: 'deploy what ran before, or a deployment you name',
  description:
    'Makes a new deployment of what was deployed before, with the configuration it had, and switches to it without a failed request. With the id of a deployment that is not live any more it goes back to that one. Warns when environment variables get other values by it.',
  arguments: {
    deployment: {
      doc: "a server's name or its live deployment's id: back to what ran before; or the id of a kept deployment: back to that one (default: the server of the project here)",
    },
  },
  options: {
    ...ONE_DEPLOYMENT.options,
    to: { type: 'string', value: 'id', doc: 'the deployment to go back to; default: the one before' },
  },
  examples: [
    { command: 'mcp rollback weather --env production', does: 'to the deployment before' },
    { command: 'mcp rollback dep_9x2m', does: 'to that one' },
    { command: 'mcp list --all', does: 'see which are kept' },
  ],
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
      output.next({ description: 'See its state', command: `mcp status ${record.deployment_id}` })
    })
    for (const warning of record.warnings ?? []) output.warn(warning)
    if (record.status === 'failed') return reportFailedDeployment(context, record, name)
  },
})
