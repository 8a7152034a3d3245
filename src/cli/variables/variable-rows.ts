import type { ServerEnv } from '../../shared/contract/variables.ts'
import { formatDurationMs } from '../../shared/duration.ts'

/** Rows of `mcp env list`: name, value, environment, age and what is special about it. */
export function variableRows(all: readonly ServerEnv[], nowMs = Date.now()): string[][] {
  return all.flatMap(env => [
    ...env.variables.map(variable => [
      variable.name,
      variable.secret ? 'secret' : (variable.value ?? 'unreadable'),
      env.environment,
      age(variable.updated_at, nowMs),
      remark(env, variable),
    ]),
    ...env.missing.map(({ name, required }) => [
      name,
      '-',
      env.environment,
      '',
      required ? 'missing, required' : 'missing',
    ]),
  ])
}

function remark(env: ServerEnv, { declared, released }: ServerEnv['variables'][number]): string {
  if (!declared) return 'not declared'
  return env.live_deployment !== null && !released ? 'not released' : ''
}

function age(time: string, nowMs: number): string {
  return `${formatDurationMs(Math.max(1000, nowMs - Date.parse(time)))} ago`
}
