import './domains.css'
import { useSignal } from '@preact/signals'
import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { listAll } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Table } from '../../components/table.tsx'
import { useTitle } from '../../router/use-title.ts'
import { domainColumns } from './domain-columns.tsx'
import { MapDialog } from './map-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { ReplaceDialog, type Replacement } from './replace-dialog.tsx'
import { ServerNames } from './server-names.tsx'

/** What waits for the user. */
type Asked =
  | { action: 'map'; mapping: MappingRecord | undefined }
  | { action: 'remove'; mapping: MappingRecord }

/** Subdomains that lead to servers, and the names that servers have without one. */
export function DomainsView() {
  useTitle('Domains')
  const asked = useSignal<Asked | undefined>(undefined)
  const replacement = useSignal<Replacement | undefined>(undefined)
  const resource = useResource('mappings', {
    load: signal => listAll<MappingRecord>('/api/lambda-mapping', {}, signal),
    concerns: ({ type }) => ['reset', 'mapping', 'deployment', 'server'].includes(type),
  })
  const columns = domainColumns((action, mapping) => {
    asked.value = { action, mapping }
  })
  const close = () => {
    asked.value = undefined
  }
  return (
    <>
      <div class="page-head">
        <h1>Domains</h1>
        {resource.value && (
          <Button kind="primary" onClick={() => (asked.value = { action: 'map', mapping: undefined })}>
            Map a subdomain
          </Button>
        )}
      </div>
      <Loaded resource={resource} what="the domains">
        {mappings =>
          mappings.length > 0 ? (
            <Table
              caption="Mapped subdomains"
              columns={columns}
              rows={mappings}
              keyOf={({ subdomain }) => subdomain}
            />
          ) : (
            <NoMappings />
          )
        }
      </Loaded>
      <ServerNames />
      {asked.value?.action === 'map' && (
        <MapDialog
          mapping={asked.value.mapping}
          onDone={resource.reload}
          onTaken={taken => (replacement.value = taken)}
          onClose={close}
        />
      )}
      {replacement.value && (
        <ReplaceDialog
          replacement={replacement.value}
          onDone={resource.reload}
          onClose={() => (replacement.value = undefined)}
        />
      )}
      {asked.value?.action === 'remove' && (
        <RemoveDialog mapping={asked.value.mapping} onDone={resource.reload} onClose={close} />
      )}
    </>
  )
}

function NoMappings() {
  return (
    <div class="empty">
      <h2>No subdomain is mapped</h2>
      <p>
        A mapped subdomain is another name of a server. It follows the releases of the environment that it
        points to. To map one from a terminal:
      </p>
      <Copyable text="mcp domains add team weather" what="the command" />
    </div>
  )
}
