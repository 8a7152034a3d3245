import { HostingError } from '../../shared/errors.ts'
import { ENV_NAME } from '../../shared/names.ts'
import { readEnvFile } from './env-file.ts'

/** Options that set environment variables of a server. */
export const VARIABLE_OPTIONS = {
  set: {
    type: 'list',
    value: 'KEY=VALUE',
    doc: 'environment variable; KEY alone copies the value from your shell',
  },
  envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
} as const

/** Option for commands that deploy. */
export const SAVE_OPTION = {
  type: 'boolean',
  default: true,
  doc: 'use the values of --set and --env-file for this deployment only, and do not store them',
} as const

/**
 * Environment variables from `--env-file` and `--set KEY=VALUE`, which takes precedence. `--set KEY` takes the value from this
 * command's environment, so that a secret is not part of the command line.
 */
export function readEnvVars(
  files: readonly string[],
  assignments: readonly string[],
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const file of files) Object.assign(values, readEnvFile(file))
  for (const assignment of assignments) {
    const { name, value = fromShell(name, env) } = parseAssignment(assignment, '--set')
    values[name] = value
  }
  return values
}

/** `KEY=VALUE`, or `KEY` without a value. Throws INVALID_REQUEST naming `where`. */
export function parseAssignment(assignment: string, where: string): { name: string; value?: string } {
  const equals = assignment.indexOf('=')
  const name = equals < 0 ? assignment : assignment.slice(0, equals)
  if (ENV_NAME.test(name)) return equals < 0 ? { name } : { name, value: assignment.slice(equals + 1) }
  throw new HostingError(
    'INVALID_REQUEST',
    `${where}: "${name}" is not a variable name, expected KEY=VALUE such as API_TOKEN=abc.`,
  )
}

function fromShell(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name]
  if (value !== undefined) return value
  throw new HostingError(
    'INVALID_REQUEST',
    `--set ${name} has no value, and ${name} is not set in this shell.`,
    {
      next: [{ description: `Pass --set ${name}=VALUE, or set ${name} in this shell` }],
    },
  )
}
