import './settings.css'
import { useSignal } from '@preact/signals'
import type { ServerEnv } from '../../../../shared/contract/servers/variables.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { concerns } from '../../../model/servers.ts'
import type { TabProps } from '../tab-props.ts'
import { Configuration } from './configuration/configuration.tsx'
import { Grants } from './grants.tsx'
import { MissingVariables } from './missing-variables.tsx'
import { ReleaseChanges } from './release-changes.tsx'
import { RemoveVariableDialog } from './remove-variable-dialog.tsx'
import { ServerDomains } from './server-domains.tsx'
import { SignIn } from './sign-in.tsx'
import { SignInClients } from './sign-in-clients.tsx'
import { type Edited, VariableDialog } from './variable-dialog.tsx'
import { VariableTable } from './variable-table.tsx'
import { envPath } from './variables.ts'

/** Variables and configuration of a server in an environment, and who may use it. A change takes effect with a release. */
export function SettingsTab({ name, environment, deployment }: TabProps) {
  const resource = useResource(`${name} ${environment}`, {
    load: signal => request<ServerEnv>('GET', envPath(name, environment), { signal }),
    concerns: concerns(name, ['variable', 'deployment', 'build']),
  })
  const edited = useSignal<Edited | undefined>(undefined)
  const removed = useSignal<string | undefined>(undefined)
  const revocations = useSignal(0)
  const edit = (variable: Edited) => {
    edited.value = variable
  }
  return (
    <>
      <div class="section-head">
        <h2>Variables</h2>
        <Button icon="add" onClick={() => edit({ name: '', value: '', secret: false, isNew: true })}>
          Add a variable
        </Button>
      </div>
      <Loaded resource={resource} what="the variables">
        {env => (
          <div class="stack">
            <ReleaseChanges env={env} />
            <MissingVariables missing={env.missing} onSet={edit} />
            {env.variables.length === 0 ? (
              <p class="muted">No variables in {environment}. Each environment has its own.</p>
            ) : (
              <VariableTable
                variables={env.variables}
                onEdit={edit}
                onRemove={variable => {
                  removed.value = variable
                }}
              />
            )}
          </div>
        )}
      </Loaded>
      <Configuration deployment={deployment} />
      <ServerDomains server={name} environment={environment} />
      <SignIn deployment={deployment} />
      {deployment.config.auth && (
        <>
          <Grants server={name} environment={environment} revision={revocations.value} />
          <SignInClients server={name} environment={environment} onRevoked={() => revocations.value++} />
        </>
      )}
      {edited.value && (
        <VariableDialog
          server={name}
          environment={environment}
          variable={edited.value}
          onClose={() => {
            edited.value = undefined
          }}
        />
      )}
      {removed.value !== undefined && (
        <RemoveVariableDialog
          server={name}
          environment={environment}
          variable={removed.value}
          onClose={() => {
            removed.value = undefined
          }}
        />
      )}
    </>
  )
}
