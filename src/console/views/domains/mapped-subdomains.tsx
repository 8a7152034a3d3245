import './domains.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { listAll } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Table } from '../../components/table.tsx'
import { domainColumns } from './domain-columns.tsx'
import { MapDialog, type MapPlace } from './map-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { ReplaceDialog, type Replacement } from './replace-dialog.tsx'

/** The action that waits for the user. */
type Asked =
  | { action: 'map'; mapping: MappingRecord | undefined }
  | { action: 'remove'; mapping: MappingRecord }

interface MappedSubdomainsProps {
  /** Only subdomains of this server are listed, and new ones point to it. */
  place?: MapPlace
  /** Heading. `onMap` is undefined until the subdomains are loaded. */
  head(onMap: (() => void) | undefined): ComponentChildren
  /** Shown when there are no subdomains. */
  empty: ComponentChildren
}

/** Subdomains that lead to servers, with dialogs that map, move and remove them. */
export function MappedSubdomains({ place, head, empty }: MappedSubdomainsProps) {
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
  const map = () => {
    asked.value = { action: 'map', mapping: undefined }
  }
  return (
    <>
      {head(resource.value && map)}
      <Loaded resource={resource} what="the domains">
        {mappings => {
          const shown = mappings.filter(({ server }) => !place || server === place.server)
          if (shown.length === 0) return empty
          return (
            <Table
              caption="Mapped subdomains"
              columns={columns}
              rows={shown}
              keyOf={({ subdomain }) => subdomain}
            />
          )
        }}
      </Loaded>
      {asked.value?.action === 'map' && (
        <MapDialog
          mapping={asked.value.mapping}
          place={place}
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
