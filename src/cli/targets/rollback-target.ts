import type { Environment } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { loadProject } from '../project/project.ts'
import { findDeployment, listDeployments, resolveDeployment } from './resolve-id.ts'

export interface RollbackInput {
  /** Server name, or deployment id or prefix. Undefined for the server of the project in the current folder. */
  reference: string | undefined
  environment: Environment | undefined
  /** Id or prefix. */
  to: string | undefined
}

export interface RollbackTarget {
  /** Deployment to roll back. */
  from: string
  /** Deployment to return to. Undefined for the previous one. */
  target: string | undefined
  name: string
}

/** Treats a reference to a deployment that is not live as the target. Throws NOT_FOUND, INVALID_REQUEST. */
export async function resolveRollback(
  api: ApiClient,
  { reference, environment, to }: RollbackInput,
): Promise<RollbackTarget> {
  const named = reference ?? (await serverHere())
  const target = to === undefined ? undefined : await resolveDeployment(api, to)
  const found = await findDeployment(api, named, { ...(environment && { environment }) })
  if (!found) return { from: named, target, name: named }
  const { deployment_id: id, status, name } = found
  const live = target === undefined && status !== 'deployed' ? await findLive(api, found) : undefined
  return { from: live ?? id, target: live === undefined ? target : id, name: name ?? named }
}

async function findLive(
  api: ApiClient,
  { name, environment, deployment_id }: { name?: string; environment?: Environment; deployment_id: string },
): Promise<string | undefined> {
  if (name === undefined || environment === undefined) return undefined
  const live = await listDeployments(api, { name, environment, status: 'deployed' })
  return live?.find(one => one.name === name && one.deployment_id !== deployment_id)?.deployment_id
}

async function serverHere(): Promise<string> {
  try {
    return (await loadProject()).request.name
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    throw new HostingError('INVALID_REQUEST', `No deployment given, and ${lowerFirst(error.message)}`, {
      details: error.details,
      next: [{ description: 'List deployments', command: 'mcp list --all' }],
    })
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
