import { HostingError } from '../shared/errors.ts'
import { buildServer, reportFailedBuild } from './build-server.ts'
import type { CommandContext } from './command-context.ts'
import type { ExitCode } from './exit-codes.ts'
import { loadProject, type Project } from './project.ts'
import { findDeployment, resolveBuild } from './resolve-id.ts'

/** The build that is tested. */
export interface TestTarget {
  mcpId: string
  /** The server's name, or what it was called by. */
  name: string
}

export interface TargetInput {
  /** Name, mcp_id or deployment id of a built server; else the project is built and tested. */
  server: string | undefined
  /** Folder of the project, or its file. */
  project: string
}

/** Finds the build, or builds the project as it is now. Gives the exit code when that fails, after telling why. */
export async function resolveTestTarget(
  context: CommandContext,
  { server, project }: TargetInput,
  loaded?: Project,
): Promise<TestTarget | ExitCode> {
  if (server !== undefined) return findBuilt(context, server)
  const found = loaded ?? (await loadProject(project).catch(ofNoProject))
  const record = await buildServer(context, found)
  if (record.status === 'failed') return reportFailedBuild(context, record, found)
  return { mcpId: record.mcp_id, name: record.name }
}

async function findBuilt({ api }: CommandContext, reference: string): Promise<TestTarget> {
  const client = await api()
  if (!reference.startsWith('dep_')) return { mcpId: await resolveBuild(client, reference), name: reference }
  const deployment = await findDeployment(client, reference)
  if (deployment?.mcp_id) return { mcpId: deployment.mcp_id, name: deployment.name ?? reference }
  throw new HostingError(
    'NOT_FOUND',
    `The API does not tell of which build the deployment ${reference} is.`,
    {
      next: [{ description: 'Name the build instead', command: 'mcp test --server <mcp_id>' }],
    },
  )
}

/** Whoever tests outside of a project rather forgot the server than wants to make a project. */
function ofNoProject(error: HostingError): never {
  if (error.code !== 'INVALID_REQUEST') throw error
  throw new HostingError('INVALID_REQUEST', `${error.message} Nor is a server named with --server.`, {
    next: [
      { description: 'Test a server that is built', command: 'mcp test --server <name> "…"' },
      { description: 'See what there is', command: 'mcp list' },
    ],
  })
}
