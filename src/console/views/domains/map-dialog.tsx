import { useSignal } from '@preact/signals'
import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'
import { notify } from '../../components/notices.tsx'
import { servers } from '../../model/servers.ts'
import { findTagged, mapSubdomain } from './mappings.ts'
import type { Replacement } from './replace-dialog.tsx'

/** Server for new subdomains, and the environment that is offered first. */
export interface MapPlace {
  server: string
  environment: Environment
}

interface MapDialogProps {
  /** Mapping to change. Undefined to create one. */
  mapping: MappingRecord | undefined
  place?: MapPlace | undefined
  onDone(): void
  /** Called when the subdomain points elsewhere. The user must confirm the move. */
  onTaken(replacement: Replacement): void
  onClose(): void
}

export function MapDialog({ mapping, place, onDone, onTaken, onClose }: MapDialogProps) {
  const subdomain = useSignal(mapping?.subdomain ?? '')
  const targets = liveDeployments().filter(({ name }) => mapping || !place || name === place.server)
  const first = mapping
    ? targets.find(one => !pointsTo(mapping, one))
    : targets.find(one => one.environment === place?.environment)
  const target = useSignal((first ?? targets[0])?.deployment_id)
  const map = async () => {
    const to = targets.find(({ deployment_id }) => deployment_id === target.value)
    if (!to) throw new HostingError('NOT_FOUND', 'Choose a deployment.')
    const taken = await mapOrFindTaken(subdomain.value, to)
    if (taken) return onTaken(taken)
    notify(`${subdomain.value} points to ${to.name} in ${to.environment}.`)
    onDone()
  }
  return (
    <Dialog
      title={mapping ? `Change the target of ${mapping.subdomain}` : 'Map a subdomain'}
      confirm={mapping ? 'Change' : 'Map'}
      onConfirm={map}
      onClose={onClose}
    >
      {!mapping && (
        <label class="field">
          Subdomain
          <input
            class="input mono"
            required
            pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
            title="Up to 63 lower-case letters, digits and -"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            {...bound(subdomain)}
          />
        </label>
      )}
      <label class="field">
        Points to
        <select
          class="input"
          required
          value={target.value}
          onChange={event => {
            target.value = event.currentTarget.value
          }}
        >
          {targets.map(({ deployment_id, name, environment }) => (
            <option key={deployment_id} value={deployment_id}>
              {name} in {environment}
            </option>
          ))}
        </select>
      </label>
      {targets.length === 0 && (
        <p class="muted">{place ? `${place.server} is not deployed.` : 'No server is deployed.'}</p>
      )}
    </Dialog>
  )
}

function liveDeployments(): DeploymentStatus[] {
  const all = [...(servers.value?.values() ?? [])].flatMap(({ deployments }) => deployments)
  return all.filter(({ status }) => status === 'deployed')
}

function pointsTo(mapping: MappingRecord, { name, environment }: DeploymentStatus): boolean {
  return mapping.server === name && mapping.environment === environment
}

/** Maps a subdomain, or returns the mapping to replace. Throws CONFLICT for the automatic name of another deployment. */
async function mapOrFindTaken(subdomain: string, to: DeploymentStatus): Promise<Replacement | undefined> {
  try {
    await mapSubdomain(subdomain, to.deployment_id)
    return undefined
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'CONFLICT') throw error
    const found = await findTagged(subdomain)
    if (!found) throw error
    return { ...found, to }
  }
}
