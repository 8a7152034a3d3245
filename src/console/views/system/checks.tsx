import { useSignal } from '@preact/signals'
import type { CheckList } from '../../../shared/contract/daemon/checks.ts'
import { counted } from '../../../shared/counted.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Next } from '../../components/error-text.tsx'
import { Loaded, ReloadButton } from '../../components/loaded.tsx'
import { Text } from '../../components/text.tsx'

type Result = CheckList['checks'][number]

const TONES = { pass: 'ok', warn: 'warn', fail: 'failed' }

/** The checks of `mcp doctor` on the machine of the daemon. They take seconds, so no event repeats them. */
export function Checks() {
  const resource = useResource('checks', {
    load: signal => request<CheckList>('GET', '/api/daemon/checks', { signal }),
    concerns: () => false,
  })
  return (
    <section class="section">
      <div class="section-head">
        <h2>Checks</h2>
        <ReloadButton label="Run the checks again" resource={resource} />
      </div>
      <Loaded resource={resource} what="the checks">
        {({ checks }) => <Results checks={checks} />}
      </Loaded>
    </section>
  )
}

/** Problems, and on request everything that is fine. */
function Results({ checks }: { checks: readonly Result[] }) {
  const areAllShown = useSignal(false)
  const problems = ['fail', 'warn'].flatMap(status => checks.filter(check => check.status === status))
  const passed = checks.filter(({ status }) => status === 'pass')
  return (
    <ul class="checks">
      {problems.map((check, index) => (
        <CheckResult key={index} check={check} />
      ))}
      {areAllShown.value && passed.map((check, index) => <CheckResult key={index} check={check} />)}
      <li class="passed">
        <span class={`state ${problems.length === 0 ? 'ok' : 'off'}`}>
          {counted(passed.length, 'check')} passed
        </span>
        <Button
          kind="quiet"
          aria-expanded={areAllShown.value}
          onClick={() => (areAllShown.value = !areAllShown.value)}
        >
          {areAllShown.value ? 'Hide' : 'Show'}
        </Button>
      </li>
    </ul>
  )
}

function CheckResult({ check: { name, status, message, fix } }: { check: Result }) {
  return (
    <li>
      <span class={`state ${TONES[status]}`}>
        {name}
        <span class="hidden">, {status}</span>
      </span>
      <div class="wrap">
        <p>
          <Text value={message} />
        </p>
        {fix && <Next step={fix} />}
      </div>
    </li>
  )
}
