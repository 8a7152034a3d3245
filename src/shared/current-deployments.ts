import type { DeploymentStatus } from './contract/deployments/deployments.ts'

export const LIVE_STATES: readonly DeploymentStatus['status'][] = ['deployed', 'deploying']

type Entry = Pick<DeploymentStatus, 'status'> & Partial<Pick<DeploymentStatus, 'name' | 'environment'>>

/** One per server and environment: the live deployment, otherwise the newest. Expects the newest first. */
export function currentDeployments<T extends Entry>(deployments: readonly T[]): T[] {
  const current = new Map<string, T>()
  for (const one of [...deployments.filter(({ status }) => LIVE_STATES.includes(status)), ...deployments]) {
    const slot = `${one.name} ${one.environment}`
    if (!current.has(slot)) current.set(slot, one)
  }
  return [...current.values()]
}
