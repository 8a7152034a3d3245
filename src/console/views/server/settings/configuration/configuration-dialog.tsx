import { useMemo, useRef } from 'preact/hooks'
import type { ConfigChanges } from '../../../../../shared/contract/deployments/deploy-config.ts'
import type {
  DeploymentRecord,
  DeploymentStatus,
} from '../../../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../../../shared/errors.ts'
import { request } from '../../../../api/client.ts'
import { useResource } from '../../../../api/resource.ts'
import { useAction } from '../../../../components/action.ts'
import { Button } from '../../../../components/button.tsx'
import { DialogFrame } from '../../../../components/dialog.tsx'
import { JsonEditor } from '../../../../components/json-editor/json-editor.tsx'
import { Loaded, Problem } from '../../../../components/loaded.tsx'
import { notify } from '../../../../components/notices.tsx'
import { requireNoFailure } from '../../../../model/failure.ts'
import { createForm, type Form, type Json, SchemaForm } from '../../../../schema-form/main.ts'
import { changesOf, loadSettingsSchema, settingProblems, settingsOf } from './settings-schema.ts'

interface ConfigurationDialogProps {
  /** The live deployment when the dialog was opened. The API refuses the change if another one has replaced it. */
  deployment: DeploymentStatus
  onClose(): void
}

/** Changes settings of a deployment with a form made from the API's schema, as a new release of the same build. */
export function ConfigurationDialog({ deployment, onClose }: ConfigurationDialogProps) {
  const { name, environment } = deployment
  const resource = useResource('settings schema', { load: loadSettingsSchema, concerns: () => false })
  return (
    <DialogFrame title={`Configuration of ${name} in ${environment}`} wide onClose={onClose}>
      {close => (
        <Loaded resource={resource} what="the form">
          {schema => <Settings schema={schema} deployment={deployment} onClose={close} />}
        </Loaded>
      )}
    </DialogFrame>
  )
}

function Settings({ schema, deployment, onClose }: ConfigurationDialogProps & { schema: object }) {
  const { version, environment } = deployment
  const before = settingsOf(deployment.config)
  const form = useMemo(() => createForm(schema, before as Json), [schema])
  const wanted = useRef<Json>({})
  const action = useAction(async () => {
    await release(deployment, form, changesOf(before, wanted.current))
    if (form.serverErrors.peek().placed.size === 0) onClose()
  })
  const submit = (value: Json) => {
    wanted.current = value
    void action.run()
  }
  return (
    <div class="body configuration">
      <p class="muted">
        A change is a new release of the same build, with the stored variables.{' '}
        {environment !== 'development' && `v${version} keeps serving until the new release is ready.`}
      </p>
      <SchemaForm form={form} label="configuration" JsonEditor={JsonEditor} onSubmit={submit}>
        <Button type="submit" kind="primary" busy={action.isRunning}>
          Release
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </SchemaForm>
      {action.error && <Problem error={action.error} />}
    </div>
  )
}

/** Releases the changes. Shows problems with settings in the form. Throws other errors. */
async function release(deployment: DeploymentStatus, form: Form, changes: ConfigChanges) {
  const { deployment_id, name, environment } = deployment
  const { config = {}, reset = [] } = changes
  if (Object.keys(config).length + reset.length === 0)
    throw new HostingError('INVALID_REQUEST', 'No setting was changed.')
  try {
    const path = `/v1/deploy/${encodeURIComponent(deployment_id)}/reconfigure`
    const record = await request<DeploymentRecord>('POST', path, { body: changes })
    requireNoFailure(record)
    notify(`Released ${name} in ${environment} with the changed configuration, as v${record.version}.`)
    for (const warning of record.warnings ?? []) notify(warning)
  } catch (error) {
    const problems = error instanceof HostingError ? settingProblems(error.details) : undefined
    if (problems === undefined) throw error
    form.reportErrors(problems)
  }
}
