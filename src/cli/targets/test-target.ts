import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { buildServer, reportFailedBuild } from '../project/build-server.ts'
import { hasProject, loadProject, type Project } from '../project/project.ts'
import { findDeployment, resolveBuild } from './resolve-id.ts'

/** The build under test. */
export interface TestTarget {
  mcpId: string
  /** Name of the server, or the reference that was given. */
  name: string
  /** Deployment that was named instead of the build. */
  deploymentId?: string
  /** Removes a build that was made for this command only. Never throws. */
  discard?(): Promise<void>
}

export interface TargetInput {
  /** Name, mcp_id or deployment id of a built server. Undefined to build and test the project. */
  server: string | undefined
  /** Folder or file of the project. */
  project: string
}

interface BuildLifetime {
  loaded?: Project | undefined
  isTemporary?: boolean
  isDiscarded?: boolean
}

/**
 * Finds the build, or builds the project. Returns the exit code after reporting a failed build. A temporary build also expires if
 * it is not tested for a while. `isDiscarded`: the caller removes the build with `discard`.
 */
export async function resolveTestTarget(
  context: CommandContext,
  { server, project }: TargetInput,
  { loaded, isTemporary = false, isDiscarded = isTemporary }: BuildLifetime = {},
): Promise<TestTarget | ExitCode> {
  if (server !== undefined) return findBuilt(context, server)
  const found = loaded ?? (await projectAt(project))
  if (!found) return findBuilt(context, await chooseServer(context, { argument: '--server' }))
  const record = await buildServer(context, found, { isTemporary })
  const { mcp_id: mcpId, name } = record
  const discard = () => removeBuild(context, mcpId)
  if (record.status !== 'failed') return isDiscarded ? { mcpId, name, discard } : { mcpId, name }
  const exitCode = await reportFailedBuild(context, record, found)
  if (isDiscarded) await discard()
  return exitCode
}

/** If the removal fails or is interrupted, the daemon removes a temporary build later. Other APIs might keep it. */
async function removeBuild({ api }: CommandContext, mcpId: string): Promise<void> {
  const path = `/v1/build/${encodeURIComponent(mcpId)}`
  await (await api()).request('DELETE', path, { ignoresInterrupt: true }).catch(() => {})
}

async function findBuilt({ api }: CommandContext, reference: string): Promise<TestTarget> {
  const client = await api()
  if (!reference.startsWith('dep_')) return { mcpId: await resolveBuild(client, reference), name: reference }
  const deployment = await findDeployment(client, reference)
  if (deployment?.mcp_id) {
    const { mcp_id: mcpId, deployment_id: deploymentId, name = reference } = deployment
    return { mcpId, deploymentId, name }
  }
  throw new HostingError('NOT_FOUND', `The API does not report the build of deployment ${reference}.`, {
    next: [{ description: 'Give the build instead', command: 'mcp test --server <mcp_id>' }],
  })
}

/** Undefined when this folder, the default, has no project. */
async function projectAt(path: string): Promise<Project | undefined> {
  return path === '.' && !(await hasProject(path)) ? undefined : loadProject(path)
}
