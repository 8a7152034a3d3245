import { useSignal } from '@preact/signals'
import type { SuiteRunRecord } from '../../../../shared/contract/testing/suite-runs.ts'
import type { Suite } from '../../../../shared/definitions/test-suite.ts'
import { request } from '../../../api/client.ts'
import { useAction } from '../../../components/action.ts'
import { Button } from '../../../components/button.tsx'
import { notifyError } from '../../../components/notices.tsx'
import type { Place } from '../playground/place.ts'
import { suiteOf, targetOf } from './rerun.ts'
import { RerunDialog } from './rerun-dialog.tsx'
import { suiteSessions } from './suite-session.ts'

interface RerunButtonProps {
  /** Id of the stored run. */
  run: string
  /** Undefined for all cases. */
  caseName?: string
  place: Place
  children: string
}

/** Runs the suite of a stored run again. Hidden while there is no build that it could test. */
export function RerunButton({ run, caseName, place, children }: RerunButtonProps) {
  const suite = useSignal<Suite | undefined>(undefined)
  const load = useAction(async () => {
    try {
      const path = `/api/suite-runs/${encodeURIComponent(run)}`
      suite.value = suiteOf(await request<SuiteRunRecord>('GET', path))
    } catch (error) {
      notifyError(error as Error)
    }
  })
  const target = targetOf(place)
  if (!target) return null
  return (
    <>
      <Button
        icon="start"
        busy={load.isRunning || suiteSessions.value.has(place.name)}
        onClick={() => void load.run()}
      >
        {children}
      </Button>
      {suite.value && (
        <RerunDialog
          suite={suite.value}
          caseName={caseName}
          target={target}
          place={place}
          onClose={() => (suite.value = undefined)}
        />
      )}
    </>
  )
}
