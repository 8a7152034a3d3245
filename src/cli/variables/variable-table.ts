import type { ServerEnv } from '../../shared/contract/servers/variables.ts'
import { formatDurationMs } from '../../shared/duration.ts'

/** Table of `mcp env list`. The environment has a column only if there are several. */
export function variableTable(all: readonly ServerEnv[]): { headers: string[]; rows: string[][] } {
  const rows = all.flatMap(env => rowsOf(env).map(row => [...row, env.environment]))
  const hasColumn = all.length > 1
  const order = ([name, value, updated, remark, environment]: readonly string[]) =>
    [name, value, ...(hasColumn ? [environment] : []), updated, remark].map(cell => cell ?? '')
  return { headers: order(['NAME', 'VALUE', 'UPDATED', '', 'ENVIRONMENT']), rows: rows.map(order) }
}

/** Name, value, age and remarks. */
function rowsOf(env: ServerEnv): string[][] {
  return [
    ...env.variables.map(variable => [
      variable.name,
      variable.secret ? 'secret' : (variable.value ?? 'unreadable'),
      age(variable.updated_at),
      remark(env, variable),
    ]),
    ...env.missing.map(({ name, required }) => [name, '-', '', required ? 'missing, required' : 'missing']),
  ]
}

function remark(env: ServerEnv, { declared, released }: ServerEnv['variables'][number]): string {
  if (!declared) return 'not declared'
  return env.live_deployment !== null && !released ? 'not released' : ''
}

function age(time: string): string {
  const ms = Date.now() - Date.parse(time)
  return ms < 60_000 ? 'just now' : `${formatDurationMs(ms)} ago`
}
