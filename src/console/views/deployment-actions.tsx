import { useSignal } from '@preact/signals'
import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { Button } from '../components/button.tsx'
import { notifyError } from '../components/notices.tsx'
import { performVerb, type Verb, verbLabel, verbsOf } from './deployment-verbs.ts'
import { StopDialog } from './stop-dialog.tsx'

/** Start, or stop and restart. */
export function DeploymentActions({ deployment }: { deployment: DeploymentStatus }) {
  const running = useSignal<Verb | undefined>(undefined)
  const isAsking = useSignal(false)
  const perform = async (verb: Verb) => {
    running.value = verb
    try {
      await performVerb(verb, deployment)
    } finally {
      running.value = undefined
    }
  }
  const begin = (verb: Verb) => {
    if (verb === 'stop') isAsking.value = true
    else void perform(verb).catch(notifyError)
  }
  return (
    <>
      {verbsOf(deployment).map(verb => (
        <Button
          key={verb}
          kind="quiet"
          icon={verb}
          label={verbLabel(verb, deployment)}
          busy={running.value === verb}
          onClick={() => begin(verb)}
        />
      ))}
      {isAsking.value && (
        <StopDialog
          deployment={deployment}
          onConfirm={() => perform('stop')}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </>
  )
}
