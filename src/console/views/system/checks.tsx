import { useSignal } from '@preact/signals'
import { REPAIRED_CHECKS, type RepairedCheck } from '../../../shared/check.ts'
import type { CheckList, RepairList, RepairRequest } from '../../../shared/contract/daemon/checks.ts'
import { counted } from '../../../shared/counted.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useAction } from '../../components/action.ts'
import { Button } from '../../components/button.tsx'
import { Next } from '../../components/error-text.tsx'
import { Loaded, ReloadButton } from '../../components/loaded.tsx'
import { notify, notifyError } from '../../components/notices.tsx'
import { Text } from '../../components/text.tsx'

type Result = CheckList['checks'][number]

const TONES = { pass: 'ok', warn: 'warn', fail: 'failed' }

/** The checks of `mcp doctor` on the machine of the daemon. They take seconds, so no change event runs them again. */
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
        {({ checks }) => <Results checks={checks} onRepaired={resource.reload} />}
      </Loaded>
    </section>
  )
}

/** Problems and, on request, the checks that passed. */
function Results({ checks, onRepaired }: { checks: readonly Result[]; onRepaired(): void }) {
  const areAllShown = useSignal(false)
  const problems = ['fail', 'warn'].flatMap(status => checks.filter(check => check.status === status))
  const passed = checks.filter(({ status }) => status === 'pass')
  return (
    <ul class="checks">
      {problems.map((check, index) => (
        <CheckResult key={index} check={check} onRepaired={onRepaired} />
      ))}
      {areAllShown.value &&
        passed.map((check, index) => <CheckResult key={index} check={check} onRepaired={onRepaired} />)}
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

function CheckResult({ check, onRepaired }: { check: Result; onRepaired(): void }) {
  const { name, status, message, fix } = check
  const repaired = repairedCheck(name)
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
        {fix && repaired && <RepairButton name={repaired} onRepaired={onRepaired} />}
      </div>
    </li>
  )
}

/** The check, if the daemon can repair it without data loss. Other fixes are terminal commands or left to the user. */
function repairedCheck(name: string): RepairedCheck | undefined {
  return REPAIRED_CHECKS.find(repaired => repaired === name)
}

function RepairButton({ name, onRepaired }: { name: RepairedCheck; onRepaired(): void }) {
  const repair = useAction(async () => {
    await repairNow(name).catch(notifyError)
    onRepaired()
  })
  return (
    <Button busy={repair.isRunning} onClick={() => void repair.run()}>
      Repair<span class="hidden"> {name}</span>
    </Button>
  )
}

async function repairNow(name: RepairedCheck): Promise<void> {
  const body: RepairRequest = { checks: [name] }
  const { items } = await request<RepairList>('POST', '/api/daemon/checks/repair', { body })
  for (const { message } of items) notify(`${message}.`)
  if (items.length === 0) notify(`There was nothing to repair in ${name}.`)
}
