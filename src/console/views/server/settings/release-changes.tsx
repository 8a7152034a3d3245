import type { DeploymentRecord } from '../../../../shared/contract/deployments/deployments.ts'
import type { ServerEnv } from '../../../../shared/contract/servers/variables.ts'
import { counted } from '../../../../shared/counted.ts'
import { request } from '../../../api/client.ts'
import { useAction } from '../../../components/action.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorText } from '../../../components/error-text.tsx'
import { notify } from '../../../components/notices.tsx'
import { requireNoFailure } from '../../../model/failure.ts'
import { envPath } from './variables.ts'

/** Releases stored values that the live deployment does not have. */
export function ReleaseChanges({
  env: { name, environment, live_deployment, variables },
}: {
  env: ServerEnv
}) {
  const changed = variables.filter(({ released }) => !released).length
  const action = useAction(async () => {
    const record = await request<DeploymentRecord>('POST', `${envPath(name, environment)}/release`)
    requireNoFailure(record)
    notify(`Released the variables of ${name} in ${environment} as v${record.version}.`)
  })
  if (changed === 0 || live_deployment === null) return null
  return (
    <div class="pending" role="status">
      <div>
        <p>
          {counted(changed, 'variable')} not released yet. A new release of the live build gets the stored
          values.
        </p>
        {action.error && <ErrorText error={action.error} />}
      </div>
      <Button kind="primary" busy={action.isRunning} onClick={() => void action.run()}>
        Release now
      </Button>
    </div>
  )
}
