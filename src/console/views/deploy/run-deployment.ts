import { type Signal, signal } from '@preact/signals'
import type {
  DeploymentRecord,
  DeploymentStatus,
  DeployRequest,
} from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { SendOnce } from '../../api/attempts.ts'
import { isUnanswered, request } from '../../api/client.ts'
import { type Change, onChange, onReconnect } from '../../api/feed.ts'
import { notify } from '../../components/notices.tsx'
import { requireNoFailure } from '../../model/failure.ts'

interface RunOptions {
  /** See `useAttempts`. */
  input?: unknown
  /** Set to what the deployment is doing, such as `starting the server`. Empty when it has finished. */
  phase?: Signal<string>
}

/** Deploys a build and waits until it serves. Throws the reason of a failed deployment. */
export async function runDeployment(
  send: SendOnce,
  body: DeployRequest,
  { input, phase = signal('') }: RunOptions = {},
): Promise<DeploymentStatus> {
  const headers = { prefer: 'respond-async' }
  const { deployment_id: id } = await send<DeploymentRecord>('/v1/deploy', body, { headers, input })
  const deployment = await untilFinished(id, phase)
  requireNoFailure(deployment)
  const { name, environment, status, version, warnings = [] } = deployment
  if (status === 'stopped')
    throw new HostingError('CONFLICT', `The deployment of ${name} was stopped before it served.`)
  notify(`Deployed ${name} to ${environment} as v${version}.`)
  for (const warning of warnings) notify(warning)
  return deployment
}

/** The deployment when it no longer starts. Changes of the feed report that, so nothing is polled. */
async function untilFinished(id: string, phase: Signal<string>): Promise<DeploymentStatus> {
  const finished = Promise.withResolvers<DeploymentStatus>()
  const check = async () => {
    try {
      const deployment = await request<DeploymentStatus>('GET', `/v1/deploy/${encodeURIComponent(id)}/status`)
      if (deployment.status !== 'deploying') finished.resolve(deployment)
    } catch (error) {
      // The next check follows when the connection is back.
      if (!isUnanswered(error)) finished.reject(error)
    }
  }
  const onNext = (change: Change) => {
    const isOwn = change.type === 'deployment' && change.id === id
    if (isOwn && change.phase !== undefined) phase.value = change.phase
    else if (isOwn || change.type === 'reset') void check()
  }
  const stops = [onChange(onNext), onReconnect(() => void check())]
  try {
    void check()
    return await finished.promise
  } finally {
    for (const stop of stops) stop()
    phase.value = ''
  }
}
