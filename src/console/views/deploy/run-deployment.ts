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

/** Deploys a build and waits until it serves. Throws the reason if the deployment fails. */
export function runDeployment(
  send: SendOnce,
  body: DeployRequest,
  options: RunOptions = {},
): Promise<DeploymentStatus> {
  return runRelease(send, '/v1/deploy', {
    ...options,
    body,
    done: ({ name, environment, version }) => `Deployed ${name} to ${environment} as v${version}.`,
  })
}

interface RunReleaseOptions extends RunOptions {
  body: unknown
  /** The caller has already shown the other warnings. Only warnings about settings that are not applied are shown. */
  hasWarned?: boolean
  /** Text of the notice after a success. */
  done(deployment: DeploymentStatus): string
}

/** Sends a request whose answer is a new deployment, and waits until the deployment serves. Throws the reason if it fails. */
export async function runRelease(
  send: SendOnce,
  path: string,
  { body, input, phase = signal(''), hasWarned = false, done }: RunReleaseOptions,
): Promise<DeploymentStatus> {
  const headers = { prefer: 'respond-async' }
  const accepted = await send<DeploymentRecord>(path, body, { headers, input })
  const deployment = await untilFinished(accepted.deployment_id, phase)
  requireNoFailure(deployment)
  if (deployment.status === 'stopped' && deployment.deployed_at == null)
    throw new HostingError('CONFLICT', `The deployment of ${deployment.name} was stopped before it served.`)
  notify(done(deployment))
  const { warnings = [] } = hasWarned ? deployment : accepted
  for (const warning of warnings) notify(warning)
  return deployment
}

/** Waits until the deployment is no longer starting, and returns it. Changes in the feed report this, so nothing is polled. */
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
