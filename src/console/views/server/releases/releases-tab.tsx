import './releases.css'
import { useSignal } from '@preact/signals'
import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { useFirstItems } from '../../../api/first-items.ts'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Table } from '../../../components/table.tsx'
import { concerns, servers } from '../../../model/servers.ts'
import { DeployButton } from '../../deploy/deploy-button.tsx'
import type { TabProps } from '../tab-props.ts'
import { Traffic } from '../traffic/traffic.tsx'
import { releaseColumns } from './release-columns.tsx'
import { RollbackDialog } from './rollback-dialog.tsx'

export function ReleasesTab({ name, environment, deployment }: TabProps) {
  const target = useSignal<ReleaseRecord | undefined>(undefined)
  const path = `/api/servers/${encodeURIComponent(name)}/releases`
  const { resource, showMore } = useFirstItems<ReleaseRecord>(path, {
    query: { environment },
    pageSize: 50,
    concerns: concerns(name, ['release', 'deployment']),
  })
  const build = servers.value?.get(name)?.build
  const columns = releaseColumns(deployment.deployment_id, release => {
    target.value = release
  })
  return (
    <>
      <Traffic name={name} environment={environment} period="week" />
      <section class="section">
        <div class="section-head">
          <h2>History</h2>
          {build?.status === 'ready' && (
            <DeployButton target={{ name, mcpId: build.mcp_id, environment }}>
              Deploy the newest build
            </DeployButton>
          )}
        </div>
        <Loaded resource={resource} what="the releases">
          {({ items, hasMore }) => (
            <>
              <Table
                caption="Releases, newest first"
                columns={columns}
                rows={items}
                keyOf={({ deploymentId }) => deploymentId}
              />
              {hasMore && <Button onClick={showMore}>Show older releases</Button>}
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
