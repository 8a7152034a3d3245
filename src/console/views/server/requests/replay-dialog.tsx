import { useSignal } from '@preact/signals'
import type {
  ReplayRequest,
  ReplayResult,
  RequestRecordItem,
} from '../../../../shared/contract/monitoring/requests.ts'
import { STORE_ENVIRONMENTS, type StoreEnvironment } from '../../../../shared/contract/states.ts'
import { HostingError } from '../../../../shared/errors.ts'
import { request } from '../../../api/client.ts'
import { bound } from '../../../components/bound.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { JsonEditor } from '../../../components/json-editor/json-editor.tsx'
import { shown } from '../../../components/text.tsx'
import { isDeclared, servers } from '../../../model/servers.ts'

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
  const hasToken = mayNeedToken(record.server, environment.value)
  const replay = async () => {
    const body: ReplayRequest = {
      arguments: parseArguments(args.value),
      environment: environment.value,
      ...(hasToken && token.value !== '' && { token: token.value }),
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
      {hasToken && (
        <label class="field">
          Bearer token, if the server requires sign-in
          <input class="input mono" type="password" autocomplete="off" {...bound(token)} />
        </label>
      )}
    </Dialog>
  )
}

/** False if the server has neither code that could require a token nor a sign-in in the environment. */
function mayNeedToken(name: string, environment: StoreEnvironment): boolean {
  const server = servers.value?.get(name)
  if (!server || !isDeclared(server)) return true
  return server.deployments.some(one => one.environment === environment && one.config.auth !== undefined)
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
