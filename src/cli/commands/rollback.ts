import { formatDurationMs } from '../../shared/duration.ts'
import { defineCommand } from '../command.ts'
import { type Deployed, reportFailedDeployment, settleDeployment } from '../deploy-server.ts'
import { ONE_DEPLOYMENT } from '../deployment-action.ts'
import type { ExitCode } from '../exit-codes.ts'
import { resolveDeployment } from '../resolve-id.ts'

export default defineCommand({
  name: 'rollback',
  summary: 'deploy what ran before, or a deployment you name',
  description:
    'Makes a new deployment of what was deployed before, with the configuration it had, and switches to it without a failed request. Warns when environment variables get other values by it.',
  arguments: ONE_DEPLOYMENT.arguments,
  options: {
    ...ONE_DEPLOYMENT.options,
    to: { type: 'string', value: 'id', doc: 'the deployment to go back to; default: the one before' },
  },
  examples: [
    { command: 'mcp rollback weather --env production', does: 'to the deployment before' },
    { command: 'mcp rollback weather --to dep_9x2m', does: 'to a certain one' },
  ],
  async run(context, { id: reference, env, to }): Promise<ExitCode | undefined> {
    const { output } = context
    const api = await context.api()
    const id = await resolveDeployment(api, reference, { environment: env })
    const target = to === undefined ? undefined : await resolveDeployment(api, to)
    const record = await output.progress(`Rolling back ${reference}`, async () => {
      const body = target === undefined ? {} : { to: target }
      return settleDeployment(
        context,
        await api.post<Deployed>(`/v1/deploy/${encodeURIComponent(id)}/rollback`, body),
      )
    })
    output.result(record, () => {
      if (record.status === 'failed') return
      output.line(`Rolled back ${reference} in ${formatDurationMs(record.deploy_time * 1000)}`)
      output.fields({ id: record.deployment_id, url: record.url, health: record.health_check })
      output.next({ description: 'See its state', command: `mcp status ${record.deployment_id}` })
    })
    for (const warning of record.warnings ?? []) output.warn(warning)
    if (record.status === 'failed') return reportFailedDeployment(context, record, reference)
  },
})
