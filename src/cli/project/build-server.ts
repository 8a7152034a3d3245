import { resolve } from 'node:path'
import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { BuildRequest } from '../../shared/definitions/definitions.ts'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { followPhases } from '../api/follow-phases.ts'
import { waitFor } from '../api/wait-for.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { reportFailure } from '../command-line/failure.ts'
import type { Progress } from '../output/progress.ts'
import { missingFile } from './program-project.ts'
import { programStep } from './program-step.ts'
import { type Buildable, commandIn } from './project.ts'

/**
 * Uploads the source, if there is one, builds, and waits if the API responds before the build is finished. A failed build
 * is a record with `status: failed`.
 */
export async function buildServer(
  context: CommandContext,
  buildable: Buildable,
  { isTemporary = false } = {},
): Promise<BuildRecord> {
  const api = await context.api()
  const { name } = buildable.request
  return context.output.progress(`Building ${name}`, async update => {
    const report = (text: string) => update(`Uploading ${name}: ${text}`)
    const request = await withSource(api, buildable, report)
    update(`Building ${name}`)
    return requestBuild(context, request, { update, isTemporary })
  })
}

/** Shows the phases of the build and waits until it is finished. */
export async function requestBuild(
  context: CommandContext,
  request: BuildRequest,
  { update, isTemporary = false }: { update: Progress; isTemporary?: boolean },
): Promise<BuildRecord> {
  const api = await context.api()
  const record = await followPhases<BuildRecord>(api, '/v1/build', {
    body: request,
    // An API without temporary builds ignores the preference (RFC 7240).
    headers: isTemporary ? { prefer: 'temporary' } : {},
    timeoutMs: context.globals.timeout,
    onPhase: phase => update(`Building ${request.name}: ${phase}`),
  })
  return settleBuild(context, api, record)
}

async function withSource(
  api: ApiClient,
  { request, sourceDirectory, project }: Buildable,
  report: (text: string) => void,
): Promise<BuildRequest> {
  if (sourceDirectory === undefined) return request
  const { uploadSource } = await import('./source/upload-source.ts')
  const folder = { directory: sourceDirectory, name: request.name, project: project ?? request.project_id }
  return { ...request, ...(await uploadSource(api, folder, report)) }
}

export function reportFailedBuild(
  { output, env }: CommandContext,
  record: BuildRecord,
  { request, directory = '.' }: Partial<Buildable> = {},
): Promise<ExitCode> {
  const next = request?.program
    ? programNextStep(request.program, directory, env)
    : { description: 'Correct the project and build again', command: commandIn(directory, 'mcp build') }
  return reportFailure(output, `Build of ${record.name} failed`, record.error, [next])
}

function programNextStep(
  program: NonNullable<BuildRequest['program']>,
  directory: string,
  env: NodeJS.ProcessEnv,
): NextStep {
  const file = program.type === 'image' ? undefined : missingFile(program, directory)
  if (file === undefined || program.type === 'image') return programStep(program, env)
  const folder = resolve(directory, program.cwd ?? '.')
  return folder === resolve('.')
    ? { description: `File ${file} does not exist in this folder. Set the working folder with --cwd` }
    : { description: `File ${file} does not exist in ${folder}` }
}

/** Waits while the build is running. */
async function settleBuild(
  { globals, signal }: CommandContext,
  api: ApiClient,
  record: BuildRecord,
): Promise<BuildRecord> {
  if (record.status !== 'building') return record
  try {
    return await waitFor({
      read: () => api.get<BuildRecord>(`/v1/build/${encodeURIComponent(record.mcp_id)}`),
      isDone: ({ status }) => status !== 'building',
      failure: `Build ${record.mcp_id} did not finish`,
      isContinued: true,
      timeoutMs: globals.timeout,
      signal,
    })
  } catch (error) {
    // An API that implements only the contract cannot show builds.
    if (error instanceof HostingError && (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED'))
      return record
    throw error
  }
}
