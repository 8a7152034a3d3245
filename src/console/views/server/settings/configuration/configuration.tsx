import { useSignal } from '@preact/signals'
import type { DeploymentStatus } from '../../../../../shared/contract/deployments/deployments.ts'
import { Button } from '../../../../components/button.tsx'
import { Fact, Facts } from '../../../../components/figures/facts.tsx'
import { lazyView } from '../../../../components/lazy-view.tsx'
import { Text } from '../../../../components/text.tsx'
import { plainSettings } from './plain-settings.ts'

const ConfigurationDialog = lazyView<{ deployment: DeploymentStatus; onClose(): void }>(
  'the form',
  async () => import('./configuration-dialog.tsx').then(({ ConfigurationDialog }) => ConfigurationDialog),
)

/** Scaling, limits and other settings of a deployment in words, and a form to change them. */
export function Configuration({ deployment }: { deployment: DeploymentStatus }) {
  const changed = useSignal<DeploymentStatus | undefined>(undefined)
  const isLive = deployment.status === 'deployed'
  return (
    <section class="section" aria-labelledby="configuration">
      <div class="section-head">
        <h2 id="configuration">Scaling and limits</h2>
        {isLive && (
          <Button icon="edit" onClick={() => (changed.value = deployment)}>
            Change<span class="hidden"> the configuration</span>
          </Button>
        )}
      </div>
      {!isLive && <p class="muted">Start the deployment to change its configuration.</p>}
      <Facts>
        {plainSettings(deployment).map(({ name, value, isDefault }) => (
          <Fact key={name} name={name}>
            <Text value={value} max={1000} /> {isDefault && <span class="muted">(default)</span>}
          </Fact>
        ))}
      </Facts>
      {deployment.warnings?.map(warning => (
        <p key={warning} class="warning wrap">
          <Text value={warning} />
        </p>
      ))}
      {changed.value && (
        <ConfigurationDialog deployment={changed.value} onClose={() => (changed.value = undefined)} />
      )}
    </section>
  )
}
