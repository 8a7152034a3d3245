import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { request } from '../api/client.ts'
import { notify } from '../components/notices.tsx'

export type Verb = 'start' | 'stop' | 'restart'

const DONE: Record<Verb, string> = { start: 'Started', stop: 'Stopped', restart: 'Restarted' }

/** Actions that the state of a deployment allows. */
export function verbsOf({ status }: DeploymentStatus): readonly Verb[] {
  if (status === 'deploying') return []
  return status === 'deployed' ? ['restart', 'stop'] : ['start']
}

/** `Stop weather in production` */
export function verbLabel(verb: Verb, { name, environment }: DeploymentStatus): string {
  return `${verb[0]!.toUpperCase()}${verb.slice(1)} ${name} in ${environment}`
}

/** Requests the action. The page changes when the API reports the change. */
export async function performVerb(verb: Verb, { deployment_id, name, environment }: DeploymentStatus) {
  await request('POST', `/v1/deploy/${encodeURIComponent(deployment_id)}/${verb}`)
  notify(`${DONE[verb]} ${name} in ${environment}.`)
}
