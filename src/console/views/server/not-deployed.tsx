import { Copyable } from '../../components/copy.tsx'
import type { Server } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { BuildFailure } from '../builds/build-failure.tsx'
import { DeployButton } from '../deploy/deploy-button.tsx'
import { serverPath } from '../paths.ts'

/** A server that was never deployed, or whose deployments were removed. */
export function NotDeployed({ server: { name, build, failedBuild } }: { server: Server }) {
  return (
    <div class="empty">
      <h1>{name}</h1>
      {failedBuild && <BuildFailure build={failedBuild} />}
      {build?.status === 'building' && <p>This server is being built.</p>}
      {build?.status === 'ready' && (
        <>
          <p>
            {failedBuild
              ? 'An earlier build is ready and not deployed.'
              : 'This server is built but not deployed.'}{' '}
            <Link to={serverPath(name, '/playground', 'preview')}>Try it in the playground</Link>
          </p>
          <DeployButton kind="primary" target={{ name, mcpId: build.mcp_id }}>
            Deploy
          </DeployButton>
          <p class="muted">From a terminal:</p>
          <Copyable text={`mcp deploy ${name} --env development`} what="the command" />
        </>
      )}
    </div>
  )
}
