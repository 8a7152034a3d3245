import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { type Command, defineCommand } from '../command-line/command.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { inTime } from '../output/output.ts'
import { environmentPicker } from '../pickers/choose-environment.ts'
import { type DeployResult, reportFailedDeployment, settleDeployment } from '../project/deploy-server.ts'
import { type DeploymentFilter, referTo, resolveDeployment } from './resolve-id.ts'

/** Argument and option of commands for one deployment. */
export const ONE_DEPLOYMENT = {
  arguments: {
    id: { kind: 'server', required: true, doc: 'deployment id or unique prefix, or server name' },
  },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      doc: 'environment of the server',
    },
  },
} as const

interface Action {
  name: 'stop' | 'start' | 'restart'
  description: string
  examples: Command['examples']
  /** Preferred states when a server has several deployments. */
  prefer: DeploymentFilter['prefer']
  /** Spinner text: `Stopping`. */
  doing: string
  /** Result text: `Stopped`. */
  done: string
}

/** Shared implementation of `mcp stop`, `start` and `restart`: resolve the id, make one call, print the record. */
export function defineDeploymentAction({ prefer, doing, done, ...command }: Action): Command {
  return defineCommand({
    ...command,
    ...ONE_DEPLOYMENT,
    async run(context, { id: reference, env }): Promise<ExitCode | undefined> {
      const { output } = context
      const api = await context.api()
      const id = await resolveDeployment(api, reference, {
        environment: env,
        prefer,
        choose: environmentPicker(context),
      })
      const startedAt = performance.now()
      const record = await output.progress(`${doing} ${reference}`, async () =>
        settleDeployment(
          context,
          await api.post<DeployResult>(`/v1/deploy/${encodeURIComponent(id)}/${command.name}`),
        ),
      )
      const name = record.name ?? id
      const target = referTo(reference, { ...record, deployment_id: id })
      output.result(record, () => {
        if (record.status === 'failed') return
        const where = record.environment ? ` in ${record.environment}` : ''
        output.line(`${done} ${name}${where} ${inTime(performance.now() - startedAt)}`)
        output.fields({ id, url: record.status === 'deployed' ? record.url : undefined })
        output.next(
          record.status === 'stopped'
            ? { description: 'Start it again', command: `mcp start ${target}` }
            : { description: 'Show its state', command: `mcp status ${target}` },
        )
      })
      if (record.status === 'failed') return reportFailedDeployment(context, record, name)
    },
  })
}
