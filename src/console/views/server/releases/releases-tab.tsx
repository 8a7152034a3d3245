import './releases.css'
import { useSignal } from '@preact/signals'
import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { listFirst } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Table } from '../../../components/table.tsx'
import { concerns } from '../../../model/servers.ts'
import type { TabProps } from '../tab-props.ts'
import { Traffic } from '../traffic/traffic.tsx'
import { releaseColumns } from './release-columns.tsx'
import { RollbackDialog } from './rollback-dialog.tsx'

const PAGE_SIZE = 50

export function ReleasesTab({ name, environment, deployment }: TabProps) {
  const shown = useSignal(PAGE_SIZE)
  const target = useSignal<ReleaseRecord | undefined>(undefined)
  const resource = useResource(`${name} ${environment} ${shown.value}`, {
    load: signal =>
      listFirst<ReleaseRecord>(`/api/servers/${encodeURIComponent(name)}/releases`, shown.value, {
        query: { environment },
        signal,
      }),
    concerns: concerns(name, ['release', 'deployment']),
  })
  const columns = releaseColumns(deployment.deployment_id, release => {
    target.value = release
  })
  return (
    <>
      <Traffic name={name} environment={environment} period="week" />
      <section class="section">
        <h2>History</h2>
        <Loaded resource={resource} what="the releases">
          {({ items, hasMore }) => (
            <>
              <Table
                caption="Releases, newest first"
                columns={columns}
                rows={items}
                keyOf={({ deploymentId }) => deploymentId}
              />
              {hasMore && <Button onClick={() => (shown.value += PAGE_SIZE)}>Show older releases</Button>}
            </>
          )}
        </Loaded>
      </section>
      {target.value && (
        <RollbackDialog
          live={deployment}
          target={target.value}
          onClose={() => {
            target.value = undefined
          }}
        />
      )}
    </>
  )
}
