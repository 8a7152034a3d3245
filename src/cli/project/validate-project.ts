import { projectFileSchema } from '../../shared/definitions/project-file.ts'
import { describeIssues } from '../../shared/validation/shape.ts'
import { validateDefinitions } from '../../shared/validation/validate-definitions.ts'

/**
 * Validates a project file. The validators take longer to load than a command, so they are loaded on demand, in one file because
 * one file loads faster than three.
 */
export function validateProject(request: Record<string, unknown>, rest: Record<string, unknown>) {
  const definitions = validateDefinitions(request)
  const schema = projectFileSchema.pick({ $schema: true, deploy: true, test: true, project: true })
  const own = schema.safeParse(rest)
  return {
    request: 'problems' in definitions ? undefined : definitions.request,
    settings: own.data,
    problems: [
      ...('problems' in definitions ? definitions.problems : []),
      ...(own.success ? [] : describeIssues(own.error.issues, { input: rest, schema })),
    ],
  }
}
