import type { Server } from '../../model/servers.ts'
import { setQuery } from '../../router/router.ts'
import type { Target } from './targets.ts'

interface TargetChoiceProps {
  /** Servers to choose from. After the first message, only the server of the chat. */
  servers: readonly Server[]
  server: Server
  targets: readonly Target[]
  target: Target
}

/** Choice of a server and one of its builds. Both are part of the URL. */
export function TargetChoice({ servers, server, targets, target }: TargetChoiceProps) {
  return (
    <>
      {servers.length > 1 && (
        <select
          class="input"
          aria-label="Server"
          value={server.name}
          onChange={event => setQuery({ server: event.currentTarget.value, env: undefined })}
        >
          {servers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <select
        class="input"
        aria-label="Build"
        value={target.environment}
        onChange={event => setQuery({ env: event.currentTarget.value })}
      >
        {targets.map(({ environment }) => (
          <option key={environment} value={environment}>
            {environment === 'preview' ? 'newest build' : `build in ${environment}`}
          </option>
        ))}
      </select>
    </>
  )
}
