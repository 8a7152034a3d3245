import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import type { NextStep } from '../../shared/errors.ts'
import { isInPath } from './program-project.ts'

/** What to do about a program or image that does not serve MCP. */
export function programStep(program: NonNullable<BuildRequest['program']>, env: NodeJS.ProcessEnv): NextStep {
  if (program.type === 'image')
    return {
      description:
        'Run the image in a terminal. A server over stdio waits for messages, and one over HTTP listens on $PORT',
    }
  return {
    description: isInPath(program.command, env)
      ? 'Run the command in a terminal. An MCP server waits for messages and prints nothing to standard output'
      : `Install ${program.command}, or give the path of the program`,
  }
}
