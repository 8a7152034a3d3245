import type { BuildRequest } from '../shared/definitions.ts'
import type { BuildRecord } from '../shared/deployments.ts'
import { HostingError } from '../shared/errors.ts'
import type { ApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import type { ExitCode } from './exit-codes.ts'
import { reportFailure } from './failure.ts'
import { waitFor } from './wait-for.ts'

/** Builds, and waits for the end where the API answers before it. A failed build is a record with `status: failed`. */
export async function buildServer(context: CommandContext, request: BuildRequest): Promise<BuildRecord> {
  const api = await context.api()
  return context.output.progress(`Building ${request.name}`, async () => {
    const record = await api.post<BuildRecord>('/v1/build', request)
    return record.status === 'building' ? followBuild(context, api, record) : record
  })
}

export function reportFailedBuild({ output }: CommandContext, record: BuildRecord): Promise<ExitCode> {
  return reportFailure(output, `The build of ${record.name} failed`, record.error, [
    { description: 'Correct the project, then build again', command: 'mcp build' },
  ])
}

async function followBuild(
  { globals, signal }: CommandContext,
  api: ApiClient,
  record: BuildRecord,
): Promise<BuildRecord> {
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
