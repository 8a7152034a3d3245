import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'

/** Definition that builds the artifact again, without empty members. Throws INVALID_REQUEST for a server with code. */
export function definitionOf({ server, template, ...artifact }: Artifact): Record<string, unknown> {
  const { tools, resources, prompts, data, env, pageSize, program } = artifact
  if (program)
    throw new HostingError('INVALID_REQUEST', `The definition of ${server.name} has code.`, {
      details: 'Change it in the folder of its project.',
      next: [{ description: 'Deploy the project', command: 'mcp deploy' }],
    })
  const { name, title, version, instructions } = server
  const all = { name, template, title, version, instructions, env, tools, resources, prompts, data }
  return Object.fromEntries(
    Object.entries({ ...all, page_size: pageSize }).filter(([, value]) => !isEmpty(value)),
  )
}

function isEmpty(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.length === 0)
}
