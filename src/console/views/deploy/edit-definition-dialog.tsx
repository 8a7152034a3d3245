import { useSignal } from '@preact/signals'
import type { Environment } from '../../../shared/contract/states.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import { useAttempts } from '../../api/attempts.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { DefinitionField } from './definition-field.tsx'
import { definitionOf } from './definition-of.ts'
import { definitionText } from './definition-text.ts'
import { openDeployDialog } from './deploy-button.tsx'
import { buildDefinition } from './deploy-definition.ts'
import { parseDefinition } from './parse-definition.ts'

interface EditDefinitionDialogProps {
  name: string
  /** Build whose definition is edited. */
  mcpId: string
  /** Where the new build is deployed unless the user chooses another environment. */
  environment: Environment
  onClose(): void
}

/** Builds a changed definition. The next dialog shows its changes for clients and deploys it. */
export function EditDefinitionDialog({ name, mcpId, environment, onClose }: EditDefinitionDialogProps) {
  const text = useSignal('')
  const attempt = useAttempts()
  const resource = useResource(mcpId, {
    async load(signal) {
      const path = `/v1/build/${encodeURIComponent(mcpId)}/artifact`
      text.value = JSON.stringify(definitionOf(await request<Artifact>('GET', path, { signal })), null, 2)
      return true
    },
    // A build never changes.
    concerns: () => false,
  })
  const build = async (closed: AbortSignal) => {
    const { definition } = parseDefinition(await definitionText(text.value, name))
    if (definition.name !== name)
      throw new HostingError('INVALID_REQUEST', `The name must stay ${JSON.stringify(name)}.`, {
        details: 'To deploy it under another name, use "New server".',
      })
    const { mcp_id } = await attempt(send => buildDefinition(send, definition))
    if (!closed.aborted) await openDeployDialog({ name, mcpId: mcp_id, environment })
  }
  return (
    <Dialog wide title={`Edit the definition of ${name}`} confirm="Build" onConfirm={build} onClose={onClose}>
      <Loaded resource={resource} what="the definition">
        {() => (
          <DefinitionField text={text} name={name}>
            <p class="muted">
              The next step shows what the new build changes for clients, and deploys it. An OpenAPI
              description replaces all tools. <code>deploy</code> and <code>test</code> in the text are
              ignored.
            </p>
          </DefinitionField>
        )}
      </Loaded>
    </Dialog>
  )
}
