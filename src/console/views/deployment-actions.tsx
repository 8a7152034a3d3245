import { useSignal } from '@preact/signals'
import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { request } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { notify, notifyError } from '../components/notices.tsx'

type Verb = 'start' | 'stop' | 'restart'

const DONE: Record<Verb, string> = { start: 'Started', stop: 'Stopped', restart: 'Restarted' }

/** Start, or stop and restart. The row changes when the API reports the change. */
export function DeploymentActions({ deployment }: { deployment: DeploymentStatus }) {
  const { deployment_id, name, environment, status } = deployment
  const running = useSignal<Verb | undefined>(undefined)
  const isAsking = useSignal(false)
  const perform = async (verb: Verb) => {
    running.value = verb
    try {
      await request('POST', `/v1/deploy/${encodeURIComponent(deployment_id)}/${verb}`)
      notify(`${DONE[verb]} ${name} in ${environment}.`)
    } finally {
      running.value = undefined
    }
  }
  const button = (verb: Verb, onClick: () => void) => (
    <Button
      kind="quiet"
      icon={verb}
      label={`${verb[0]!.toUpperCase()}${verb.slice(1)} ${name} in ${environment}`}
      busy={running.value === verb}
      onClick={onClick}
    />
  )
  const now = (verb: Verb) => () => void perform(verb).catch(notifyError)
  if (status === 'deploying') return null
  return (
    <>
      {status === 'deployed' && button('restart', now('restart'))}
      {status === 'deployed' && button('stop', () => (isAsking.value = true))}
      {status !== 'deployed' && button('start', now('start'))}
      {isAsking.value && (
        <Dialog
          title={`Stop ${name} in ${environment}?`}
          confirm="Stop"
          danger
          onConfirm={() => perform('stop')}
          onClose={() => (isAsking.value = false)}
        >
          <p>Running requests finish. Clients get no answer until you start it again.</p>
        </Dialog>
      )}
    </>
  )
}
