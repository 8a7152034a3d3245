import { ENVIRONMENTS } from '../shared/states.ts'
import { type Command, defineCommand, type Example } from './command.ts'
import { type Deployed, reportFailedDeployment, settleDeployment } from './deploy-server.ts'
import type { ExitCode } from './exit-codes.ts'
import { inTime } from './output.ts'
import { type DeploymentFilter, resolveDeployment } from './resolve-id.ts'

/** Argument and option of every command that works on one deployment. */
export const ONE_DEPLOYMENT = {
  arguments: {
    id: { required: true, doc: "the deployment's id, a unique prefix of it, or a server's name" },
  },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      doc: "which of a server's deployments",
    },
  },
} as const

interface Action {
  name: 'stop' | 'start' | 'restart'
  summary: string
  description: string
  examples: Example[]
  /** Of a server's deployments the one in such a state is meant. */
  prefer: DeploymentFilter['prefer']
  /** `Stopping`, for the spinner. */
  doing: string
  /** `Stopped`. */
  done: string
}

/** `mcp stop`, `start` and `restart` differ in nothing but words: resolve the id, one call, print the record. */
export function defineDeploymentAction({ prefer, doing, done, ...command }: Action): Command {
  return defineCommand({
    ...command,
    ...ONE_DEPLOYMENT,
    async run(context, { id: reference, env }): Promise<ExitCode | undefined> {
      const { output } = context
      const api = await context.api()
      const id = await resolveDeployment(api, reference, { environment: env, prefer })
      const startedAt = performance.now()
      const record = await output.progress(`${doing} ${reference}`, async () =>
        settleDeployment(
          context,
          await api.post<Deployed>(`/v1/deploy/${encodeURIComponent(id)}/${command.name}`),
        ),
      )
      const name = record.name ?? id
      output.result(record, () => {
        if (record.status === 'failed') return
        const where = record.environment ? ` in ${record.environment}` : ''
        output.line(`${done} ${name}${where} ${inTime(performance.now() - startedAt)}`)
        output.fields({ id, url: record.status === 'deployed' ? record.url : undefined })
        output.next(
          record.status === 'stopped'
            ? { description: 'Start it again', command: `mcp start ${id}` }
            : { description: 'See its state', command: `mcp status ${id}` },
        )
      })
      if (record.status === 'failed') return reportFailedDeployment(context, record, name)
    },
  })
}
