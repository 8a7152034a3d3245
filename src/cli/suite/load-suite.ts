import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { SuiteRunRecord } from '../../shared/contract/testing/suite-runs.ts'
import type { Suite } from '../../shared/definitions/test-suite.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { parseYaml } from '../project/formats/yaml.ts'
import type { Project } from '../project/project.ts'

const MAX_PROBLEMS = 20

/** `line:column` of a path such as `cases[2].expect`. Undefined when it is unknown. */
type Locate = (path: string) => string | undefined

/** Reads a suite in YAML, which includes JSON. Throws NOT_FOUND, INVALID_MCP, or INVALID_REQUEST with the first problems. */
export async function loadSuite(file: string): Promise<Suite> {
  const path = resolve(file)
  if (!existsSync(path)) throw new HostingError('NOT_FOUND', `Suite ${path} does not exist.`)
  const { value, locate } = await parseYaml(path, readFileSync(path, 'utf8'))
  return parseSuite(value, basename(path), locate)
}

/**
 * The suite in a project file, or in the file that the project file names. Undefined if there is none. Throws like `loadSuite`.
 */
export async function loadProjectSuite(project: Project | undefined): Promise<Suite | undefined> {
  const { test, file = '', directory, locate } = project ?? {}
  if (typeof test === 'string') {
    const path = resolve(directory || dirname(file), test)
    if (!existsSync(path)) throw missingProjectSuite(basename(file), test, path)
    return loadSuite(path)
  }
  if (!test) return undefined
  const inTest = (path: string) => (path.startsWith('[') ? `test${path}` : ['test', path].join('.'))
  return parseSuite(test, basename(file), locate && (path => locate(inTest(path))), '"test" of ')
}

function missingProjectSuite(project: string, test: string, path: string): HostingError {
  return new HostingError(
    'NOT_FOUND',
    `The suite of the project does not exist: "test" in ${project} names ${test} (${path}).`,
    {
      next: [
        { description: `Create the file, or correct "test" in ${project}` },
        { description: 'Or send one message without a suite', command: 'mcp test "…"' },
      ],
    },
  )
}

/** The suite of a stored run, for the server that it ran against. Throws NOT_FOUND, or INVALID_REQUEST for an invalid suite. */
export async function loadStoredSuite(api: Pick<ApiClient, 'get'>, id: string): Promise<Suite> {
  const { definition, server } = await api.get<SuiteRunRecord>(`/api/suite-runs/${encodeURIComponent(id)}`)
  if (definition) return { ...(await parseSuite(definition, id)), server }
  throw new HostingError('NOT_FOUND', `Run ${id} was stored without its suite.`, {
    next: [{ description: 'Run the suite from its file', command: 'mcp test --suite <file>' }],
  })
}

/** `name`: name of the file, used in messages after `part`. Throws INVALID_REQUEST. */
export async function parseSuite(
  value: unknown,
  name: string,
  locate: Locate = () => undefined,
  part = '',
): Promise<Suite> {
  const [{ suiteSchema }, { describeIssues }] = await Promise.all([
    import('../../shared/definitions/test-suite.ts'),
    import('../../shared/validation/shape.ts'),
  ])
  const parsed = suiteSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = describeIssues(parsed.error.issues, { schema: suiteSchema, input: value })
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    const position = locate(path)
    return `${position ? `${name}:${position} ` : ''}${path ? `${path}: ` : ''}${message}`
  })
  throw new HostingError('INVALID_REQUEST', `${part}${name} is not a valid suite: ${lines[0]}`, {
    details: lines.join('\n'),
  })
}
