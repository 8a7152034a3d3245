import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { HostingError } from '../shared/errors.ts'
import { ENV_NAME } from '../shared/names.ts'

/**
 * Environment variables of `--env-file` (the format of Node's own) and `--set KEY=VALUE`, which wins. `--set KEY` takes
 * the value from this command's environment, so that a secret need not stand on a command line.
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

/** A file that is missing is refused by Node itself, which looks for `--env-file` in every command line (exit code 9). */
function readEnvFile(file: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('INVALID_REQUEST', `--env-file ${file} cannot be read (${code}).`, { cause })
  }
}

function parseAssignment(assignment: string, env: NodeJS.ProcessEnv): [string, string] {
  const equals = assignment.indexOf('=')
  const name = equals < 0 ? assignment : assignment.slice(0, equals)
  if (!ENV_NAME.test(name))
    throw new HostingError(
      'INVALID_REQUEST',
      `--set: "${name}" is no name of an environment variable, expected KEY=VALUE such as API_TOKEN=abc.`,
    )
  if (equals >= 0) return [name, assignment.slice(equals + 1)]
  const value = env[name]
  if (value !== undefined) return [name, value]
  throw new HostingError(
    'INVALID_REQUEST',
    `--set ${name} has no value, and ${name} is not set here either.`,
    {
      next: [{ description: `Write --set ${name}=VALUE, or set ${name} in this shell` }],
    },
  )
}
