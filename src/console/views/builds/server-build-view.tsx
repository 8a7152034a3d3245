import type { BuildRecord, SurfaceReport } from '../../../shared/contract/builds/builds.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useAction } from '../../components/action.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/figures/facts.tsx'
import { Loaded, Problem } from '../../components/loaded.tsx'
import { notifyError } from '../../components/notices.tsx'
import { download } from '../../components/save-file.ts'
import { State } from '../../components/state.tsx'
import { Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { failureOf } from '../../model/failure.ts'
import { Link } from '../../router/link.tsx'
import { navigate } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { DeployButton } from '../deploy/deploy-button.tsx'
import { RemoveBuild } from './remove-build.tsx'
import { durationText, Users, usersOf } from './server-build-text.tsx'
import { Surface } from './surface.tsx'

/** A build of a server: what it offers, what it changes for clients, and its image. */
export function ServerBuildView({ id }: { id: string }) {
  useTitle('Build')
  const path = `/v1/build/${encodeURIComponent(id)}`
  const resource = useResource(id, {
    async load(signal) {
      const build = await request<BuildRecord>('GET', path, { signal })
      const hasSurface = build.status === 'ready'
      return {
        build,
        report: hasSurface ? await request<SurfaceReport>('GET', `${path}/surface`, { signal }) : undefined,
      }
    },
    concerns: change => change.type === 'reset' || change.type === 'deployment' || change.id === id,
  })
  return (
    <>
      <p class="back">
        <Link to="/builds">All builds</Link>
      </p>
      {resource.value === undefined && <h1>Build</h1>}
      <Loaded resource={resource} what="the build">
        {({ build, report }) => (
          <>
            <Head build={build} path={path} />
            {build.error && <Problem error={failureOf(build.error)} />}
            {build.warnings?.map(warning => (
              <p key={warning} class="warning wrap">
                <Text value={warning} />
              </p>
            ))}
            <BuildFacts build={build} />
            {report && <Surface build={build} report={report} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Head({ build, path }: { build: BuildRecord; path: string }) {
  const image = useAction(() =>
    download(`${path}/image`, `${build.name}-${build.digest?.slice(0, 12)}.tar`).catch(notifyError),
  )
  const canRemove = build.status !== 'building' && usersOf(build).length === 0
  return (
    <div class="page-head">
      <h1>{build.name}</h1>
      <State value={build.status} />
      {build.status === 'ready' && (
        <DeployButton kind="primary" target={{ name: build.name, mcpId: build.mcp_id }}>
          Deploy
        </DeployButton>
      )}
      {build.status === 'ready' && (
        <Button icon="down" busy={image.isRunning} onClick={() => void image.run()}>
          {image.isRunning ? 'Building the image…' : 'Download the image'}
        </Button>
      )}
      {canRemove && <RemoveBuild build={build} hasText onRemoved={() => navigate('/builds')} />}
    </div>
  )
}

function BuildFacts({ build }: { build: BuildRecord }) {
  const { mcp_id, created_at, template, digest, expires_at } = build
  return (
    <Facts>
      <Fact name="Created">{created_at !== undefined && <Time at={created_at} />}</Fact>
      <Fact name="Duration">{durationText(build)}</Fact>
      <Fact name="Template">{template ?? null}</Fact>
      <Fact name="Used by">
        <Users build={build} />
      </Fact>
      <Fact name="Removed after">{expires_at !== undefined && new Date(expires_at).toLocaleString()}</Fact>
      <Fact name="Id" wide>
        <Copyable text={mcp_id} what="the id" />
      </Fact>
      <Fact name="Digest" wide>
        {digest != null && <Copyable text={digest} what="the digest" />}
      </Fact>
    </Facts>
  )
}
