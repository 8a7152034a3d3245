import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { HostingError } from '../../shared/errors.ts'
import { ENV_NAME } from '../../shared/names.ts'

/**
 * Environment variables from `--env-file` (Node's format) and `--set KEY=VALUE`, which takes precedence. `--set KEY` takes
 * the value from this command's environment, so that a secret is not part of the command line.
 */
export function readEnvVars(
  files: readonly string[],
  assignments: readonly string[],
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const file of files) Object.assign(values, readEnvFile(file))
  for (const assignment of assignments) {
    const [name, value] = parseAssignment(assignment, env)
    values[name] = value
  }
  return values
}

/** Node itself rejects a missing file because it parses `--env-file` in every command line (exit code 9). */
function readEnvFile(file: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('INVALID_REQUEST', `Could not read --env-file ${file} (${code}).`, { cause })
  }
}

function parseAssignment(assignment: string, env: NodeJS.ProcessEnv): [string, string] {
  const equals = assignment.indexOf('=')
  const name = equals < 0 ? assignment : assignment.slice(0, equals)
  if (!ENV_NAME.test(name))
    throw new HostingError(
      'INVALID_REQUEST',
      `--set: "${name}" is not a variable name, expected KEY=VALUE such as API_TOKEN=abc.`,
    )
  if (equals >= 0) return [name, assignment.slice(equals + 1)]
  const value = env[name]
  if (value !== undefined) return [name, value]
  throw new HostingError(
    'INVALID_REQUEST',
    `--set ${name} has no value, and ${name} is not set in this shell.`,
    {
      next: [{ description: `Write --set ${name}=VALUE, or set ${name} in this shell` }],
    },
  )
}
