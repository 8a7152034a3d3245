import { useSignal } from '@preact/signals'
import type {
  ReplayRequest,
  ReplayResult,
  RequestRecordItem,
} from '../../../../shared/contract/monitoring/requests.ts'
import { STORE_ENVIRONMENTS } from '../../../../shared/contract/states.ts'
import { HostingError } from '../../../../shared/errors.ts'
import { request } from '../../../api/client.ts'
import { bound } from '../../../components/bound.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { JsonEditor } from '../../../components/json-editor/json-editor.tsx'
import { shown } from '../../../components/text.tsx'

interface ReplayDialogProps {
  record: RequestRecordItem
  onResult(result: ReplayResult): void
  onClose(): void
}

/** Asks for arguments and the environment before the tool runs again. */
export function ReplayDialog({ record, onResult, onClose }: ReplayDialogProps) {
  const args = useSignal(JSON.stringify(record.arguments ?? {}, null, 2))
  const environment = useSignal(record.environment)
  const token = useSignal('')
  const replay = async () => {
    const body: ReplayRequest = {
      arguments: parseArguments(args.value),
      environment: environment.value,
      ...(token.value !== '' && { token: token.value }),
    }
    const path = `/api/requests/${encodeURIComponent(record.id)}/replay`
    onResult(await request<ReplayResult>('POST', path, { body }))
  }
  return (
    <Dialog
      title={`Call ${shown(record.tool ?? '', 100)} again?`}
      confirm="Replay"
      onConfirm={replay}
      onClose={onClose}
    >
      <p>
        The tool runs again with all its effects
        {environment.value === 'production' ? ', in production on real data.' : '.'}
      </p>
      {!record.isReplayable && (
        <p class="muted">The complete arguments were not recorded. Fill in what is missing.</p>
      )}
      <div class="field">
        <span aria-hidden="true">Arguments</span>
        <JsonEditor
          id="replay-arguments"
          label="Arguments"
          isInvalid={false}
          text={args.value}
          onInput={text => {
            args.value = text
          }}
        />
      </div>
      <label class="field">
        Environment
        <select class="input" {...bound(environment)}>
          {STORE_ENVIRONMENTS.map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label class="field">
        Bearer token, for a server with sign-in
        <input class="input mono" type="password" autocomplete="off" {...bound(token)} />
      </label>
    </Dialog>
  )
}

/** Throws INVALID_REQUEST for anything but a JSON object. */
function parseArguments(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new HostingError('INVALID_REQUEST', 'The arguments are not a JSON object.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', 'The arguments are not valid JSON.', {
      details: (error as Error).message,
    })
  }
}
