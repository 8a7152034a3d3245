import type { SurfaceReport } from '../../../shared/contract/builds/builds.ts'
import { bound } from '../../components/bound.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { navigate } from '../../router/router.ts'
import { countedChanges } from '../builds/surface.tsx'
import { Changes } from '../changes.tsx'
import { serverPath } from '../paths.ts'
import { useDeployForm } from './deploy-form.ts'
import { type DeployTarget, environmentsOf } from './deploy-target.ts'
import { Phase } from './phase.tsx'
import { Replacement } from './replacement.tsx'
import { VariableFields } from './variable-fields.tsx'

const MAX_MESSAGE = 500

interface DeployDialogProps {
  target: DeployTarget
  onClose(): void
}

/** Deploys a build to an environment. First shows what is replaced and what changes for clients. */
export function DeployDialog({ target, onClose }: DeployDialogProps) {
  const { name, from, opensPlayground } = target
  const form = useDeployForm(target)
  const { environment, change, current } = form
  const deploy = async (closed: AbortSignal) => {
    await form.deploy()
    if (opensPlayground && !closed.aborted) navigate(serverPath(name, '/playground', environment.value))
  }
  return (
    <Dialog
      title={from ? `Promote v${from.version} of ${name}` : `Deploy ${name}`}
      confirm={change?.breaking ? 'Deploy anyway' : 'Deploy'}
      danger={change?.breaking}
      onConfirm={deploy}
      onClose={onClose}
    >
      <label class="field">
        Environment
        <select class="input" {...bound(environment)}>
          {environmentsOf(target).map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Replacement target={target} environment={environment.value} current={current} />
      <Loaded resource={form.surface} what="the changes for clients">
        {() => change && <ClientChanges change={change} />}
      </Loaded>
      <Loaded resource={form.env} what="the variables">
        {({ missing }) => (
          <VariableFields
            missing={missing.filter(({ name }) => !Object.hasOwn(target.config?.env_vars ?? {}, name))}
            environment={environment.value}
            values={form.variables}
          />
        )}
      </Loaded>
      <label class="field">
        Message
        <input
          class="input"
          maxLength={MAX_MESSAGE}
          placeholder="What this release changes"
          {...bound(form.message)}
        />
      </label>
      <Phase phase={form.phase} />
    </Dialog>
  )
}

function ClientChanges({ change: { changes, breaking } }: { change: SurfaceReport['items'][number] }) {
  if (changes.length === 0) return <p>No tool, resource or prompt changes for clients.</p>
  return (
    <div>
      <p>Changes for clients:</p>
      <Changes changes={countedChanges(changes)} isOpen={breaking} />
    </div>
  )
}
