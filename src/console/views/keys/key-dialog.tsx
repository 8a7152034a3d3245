import { useSignal } from '@preact/signals'
import type { CreatedKey, CreateKeyRequest } from '../../../shared/contract/access/api-keys.ts'
import { PLAN_LIMITS, PLANS, type Plan, SCOPES, type Scope } from '../../../shared/contract/access/scopes.ts'
import { HostingError } from '../../../shared/errors.ts'
import { request } from '../../api/client.ts'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'

const DAY_MS = 86_400_000

const MEANINGS: Record<Scope, string> = {
  READ: 'see everything but secrets',
  BUILD_AND_DEPLOY: 'build, deploy and change servers',
  CHAT: 'call tools, run tests and chats',
  ADMIN: 'manage keys and the daemon',
}

const LIFETIMES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'Never expires'],
] as const

interface KeyDialogProps {
  onCreated(key: CreatedKey): void
  onClose(): void
}

export function KeyDialog({ onCreated, onClose }: KeyDialogProps) {
  const name = useSignal('')
  const scopes = useSignal<readonly Scope[]>(['READ'])
  const plan = useSignal<Plan>('free')
  const days = useSignal('90')
  const create = async () => {
    if (scopes.value.length === 0)
      throw new HostingError('INVALID_REQUEST', 'A key needs at least one scope.')
    const body: CreateKeyRequest = {
      name: name.value,
      scopes: [...scopes.value],
      plan: plan.value,
      ...(days.value !== '' && {
        expiresAt: new Date(Date.now() + Number(days.value) * DAY_MS).toISOString(),
      }),
    }
    onCreated(await request<CreatedKey>('POST', '/api/keys', { body }))
  }
  const toggle = (scope: Scope, isChosen: boolean) => {
    scopes.value = SCOPES.filter(one => (one === scope ? isChosen : scopes.value.includes(one)))
  }
  return (
    <Dialog title="New API key" confirm="Create" onConfirm={create} onClose={onClose}>
      <label class="field">
        Name
        <input class="input" required maxLength={100} autocomplete="off" {...bound(name)} />
      </label>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {SCOPES.map(scope => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={scopes.value.includes(scope)}
              onChange={event => toggle(scope, event.currentTarget.checked)}
            />
            <span>
              {scope} <span class="muted">{MEANINGS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        Limit
        <select class="input" {...bound(plan)}>
          {PLANS.map(one => (
            <option key={one} value={one}>
              {one === 'enterprise'
                ? 'enterprise: as configured'
                : `${one}: ${PLAN_LIMITS[one]} requests per hour`}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Expiry
        <select class="input" {...bound(days)}>
          {LIFETIMES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </Dialog>
  )
}
