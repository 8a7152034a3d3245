import type { ServerEnv } from '../../shared/contract/servers/variables.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { inTime } from '../output/output.ts'
import { ask } from '../output/prompt.ts'
import { type DeployResult, reportFailedDeployment, settleDeployment } from '../project/deploy-server.ts'
import { type Place, pathOf } from './server-env.ts'

/** Option of commands that change variables. */
export const RELEASE_OPTION = {
  type: 'boolean',
  doc: 'also redeploy the live build with the new values',
} as const

interface Change {
  /** Line that says what was changed. */
  done: string
  release: boolean
  /** False when no changed variable is passed to the server, so a release would change nothing. */
  hasEffect?: boolean
}

/** Prints the changed variables. Releases the change with `--release`, or if the user confirms at the terminal. */
export async function finishChange(
  context: CommandContext,
  env: ServerEnv,
  { done, release, hasEffect = true }: Change,
): Promise<ExitCode | undefined> {
  const { output } = context
  if (output.json && !release) {
    output.result(env, () => {})
    return undefined
  }
  if (!output.json) output.line(done)
  if (!hasEffect && !release) return undefined
  if (env.live_deployment === null) {
    if (output.json) output.result(env, () => {})
    else
      output.note(
        `${env.name} has no live deployment in ${env.environment}. The change takes effect on the next deployment.`,
      )
    return undefined
  }
  if (release || (await offersRelease(context, env))) return releaseVariables(context, env)
  output.next({ description: 'Release the change', command: releaseCommand(env) })
}

async function offersRelease({ output, globals }: CommandContext, env: ServerEnv): Promise<boolean> {
  if (!output.interactive) return false
  return globals.yes || ask(`Release ${env.name} in ${env.environment} with these values now?`)
}

/** Releases the live build again and prints the deployment. */
export async function releaseVariables(
  context: CommandContext,
  { name, environment }: Place,
): Promise<ExitCode | undefined> {
  const { output } = context
  const api = await context.api()
  const startedAt = performance.now()
  const record = await output.progress(`Releasing ${name} in ${environment}`, async () =>
    settleDeployment(context, await api.post<DeployResult>(`${pathOf({ name, environment })}/release`)),
  )
  output.result(record, () => {
    if (record.status === 'failed') return
    output.line(`Released ${name} in ${environment} ${inTime(performance.now() - startedAt)}`)
    output.fields({ id: record.deployment_id, url: record.url })
    // Development keeps no earlier deployment.
    if (environment !== 'development')
      output.next({
        description: 'Undo it',
        command: `mcp rollback ${quoteShellWord(name)} --env ${environment}`,
      })
  })
  output.warnOf(record)
  if (record.status === 'failed') return reportFailedDeployment(context, record, name)
}

function releaseCommand({ name, environment }: Place): string {
  return `mcp env release ${quoteShellWord(name)} --env ${environment}`
}
