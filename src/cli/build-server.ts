import type { BuildRecord } from '../shared/builds.ts'
import type { BuildRequest } from '../shared/definitions.ts'
import { HostingError, type NextStep } from '../shared/errors.ts'
import type { ApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import type { ExitCode } from './exit-codes.ts'
import { reportFailure } from './failure.ts'
import { missingScript } from './program-project.ts'
import { commandIn } from './project.ts'
import { waitFor } from './wait-for.ts'

/** What is to be built: of a project, or of a request alone. */
export interface Buildable {
  request: BuildRequest
  /** The project's folder, where it is of one. */
  directory?: string
  /** The folder that the server's code is in. */
  sourceDirectory?: string | undefined
  /** Id of the linked project. */
  project?: string | undefined
}

/**
 * Uploads the source where there is one, builds, and waits for the end where the API answers before it. A failed build is a
 * record with `status: failed`.
 */
export async function buildServer(context: CommandContext, buildable: Buildable): Promise<BuildRecord> {
  const api = await context.api()
  const { name } = buildable.request
  return context.output.progress(`Building ${name}`, async update => {
    const tell = (text: string) => update(`Uploading ${name}: ${text}`)
    const request = await withSource(api, buildable, tell)
    update(`Building ${name}`)
    const record = await api.post<BuildRecord>('/v1/build', request)
    return settleBuild(context, api, record)
  })
}

async function withSource(
  api: ApiClient,
  { request, sourceDirectory, project }: Buildable,
  tell: (text: string) => void,
): Promise<BuildRequest> {
  if (sourceDirectory === undefined) return request
  const { uploadSource } = await import('./source/upload-source.ts')
  const folder = { directory: sourceDirectory, name: request.name, project: project ?? request.project_id }
  return { ...request, ...(await uploadSource(api, folder, tell)) }
}

export function reportFailedBuild(
  { output }: CommandContext,
  record: BuildRecord,
  { request, directory = '.' }: Partial<Buildable> = {},
): Promise<ExitCode> {
  const next = request?.program
    ? nextOfProgram(request.program)
    : { description: 'Correct the project, then build again', command: commandIn(directory, 'mcp build') }
  return reportFailure(output, `The build of ${record.name} failed`, record.error, [next])
}

function nextOfProgram(program: NonNullable<BuildRequest['program']>): NextStep {
  if (program.type === 'image')
    return { description: 'Run the image yourself: it must serve MCP over HTTP on $PORT' }
  const script = missingScript(program)
  return {
    description: script
      ? `There is no file ${script} in this folder: name the folder it is in with --cwd`
      : 'Try the command in a terminal: a server waits for messages and prints nothing else',
  }
}

/** Waits while it is building. */
export async function settleBuild(
  { globals, signal }: CommandContext,
  api: ApiClient,
  record: BuildRecord,
): Promise<BuildRecord> {
  if (record.status !== 'building') return record
  try {
    return await waitFor({
      read: () => api.get<BuildRecord>(`/v1/build/${encodeURIComponent(record.mcp_id)}`),
      isDone: ({ status }) => status !== 'building',
      subject: `The build ${record.mcp_id}`,
      timeoutMs: globals.timeout,
      signal,
    })
  } catch (error) {
    // An API that knows only the contract cannot be asked for a build: what it said is all there is.
    if (error instanceof HostingError && (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED'))
      return record
    throw error
  }
}
