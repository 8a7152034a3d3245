import { useSignal } from '@preact/signals'
import { counted } from '../../../../shared/counted.ts'
import type { Suite } from '../../../../shared/definitions/test-suite.ts'
import { overrideSuite } from '../../../../shared/suite/overrides.ts'
import type { SuiteTarget } from '../../../../shared/suite/suite-recorder.ts'
import { bound } from '../../../components/bound.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { shown } from '../../../components/text.tsx'
import { navigate } from '../../../router/router.ts'
import { serverPath } from '../../paths.ts'
import type { Place } from '../playground/place.ts'
import { buildIn, parseModels } from './rerun.ts'
import { startSuite } from './suite-session.ts'

interface RerunDialogProps {
  suite: Suite
  /** Undefined for all cases. */
  caseName: string | undefined
  target: SuiteTarget
  place: Place
  onClose(): void
}

/** Asks for the models before a suite or one of its cases runs. */
export function RerunDialog({ suite, caseName, target, place, onClose }: RerunDialogProps) {
  const { name, environment } = place
  const models = useSignal([suite.models ?? []].flat().join(', '))
  const run = async () => {
    const cases = caseName === undefined ? [] : [caseName]
    const { models: _, ...rest } = suite
    startSuite({
      suite: overrideSuite(rest, { cases, models: parseModels(models.value) }),
      target,
      environment,
    })
    navigate(serverPath(name, '/tests', environment))
  }
  return (
    <Dialog
      title={`Run ${shown(caseName ?? suite.name ?? 'the suite', 100)}?`}
      confirm="Run"
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        {caseName === undefined ? counted(suite.cases.length, 'case') : '1 case'} with {buildIn(environment)}.
        Its tools run with all their effects, with the variables of development and the data of the preview.
      </p>
      <label class="field">
        Models, separated by commas
        <input
          class="input mono"
          placeholder="default model"
          autocomplete="off"
          spellcheck={false}
          {...bound(models)}
        />
      </label>
      <p class="muted">The suite runs in this page. Keep the page open until the suite has finished.</p>
    </Dialog>
  )
}
