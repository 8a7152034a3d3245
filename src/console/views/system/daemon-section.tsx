import type { DaemonState } from '../../../shared/contract/daemon/daemon-health.ts'
import { HostingError } from '../../../shared/errors.ts'
import { formatMemory } from '../../../shared/format/metric-format.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Figure } from '../../components/figures/figure.tsx'
import { Loaded, Problem, ReloadButton } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { Duration } from '../../components/time.tsx'

/** Version, process and memory of the daemon, and its last upgrade. A new daemon resets the feed. */
export function DaemonSection() {
  const resource = useResource('daemon', {
    load: signal => request<DaemonState>('GET', '/api/daemon', { signal }),
    concerns: ({ type }) => type === 'reset',
  })
  return (
    <section class="section first">
      <div class="section-head">
        <h2>Daemon</h2>
        <ReloadButton label="Reload the figures" resource={resource} />
      </div>
      <Loaded resource={resource} what="the daemon">
        {({ version, pid, startedAt, memoryBytes, upgrade }) => (
          <>
            <dl class="figures">
              <Figure name="Version" value={version} />
              <Figure name="Process id" value={pid} />
              <Figure name="Uptime" value={<Duration from={startedAt} to="" />} />
              <Figure name="Memory" value={formatMemory(memoryBytes)} />
            </dl>
            {upgrade && <Upgrade upgrade={upgrade} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** A successful upgrade is not shown, because another daemon is running by then. */
function Upgrade({ upgrade: { status, error } }: { upgrade: NonNullable<DaemonState['upgrade']> }) {
  return (
    <div class="upgrade" role="status">
      {status === 'running' ? (
        <State value="upgrading" />
      ) : (
        <Problem
          error={
            new HostingError('UNAVAILABLE', 'The last upgrade failed. This daemon keeps serving.', {
              details: error,
              next: [{ description: 'Try again', command: 'mcp daemon upgrade' }],
            })
          }
        />
      )}
    </div>
  )
}
