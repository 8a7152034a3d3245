import { useSignal } from '@preact/signals'
import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { ProjectRecord } from '../../../shared/contract/projects/projects.ts'
import { HostingError } from '../../../shared/errors.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Copyable } from '../../components/copy.tsx'
import { Fact, Facts } from '../../components/figures/facts.tsx'
import { Loaded, Problem } from '../../components/loaded.tsx'
import { LiveLog } from '../../components/log/live-log.tsx'
import { shown } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { Link } from '../../router/link.tsx'
import { useTitle } from '../../router/use-title.ts'
import { buildPath } from '../paths.ts'
import { ContainerBuildState, isRunning } from './container-build-text.tsx'
import { phaseTimes } from './phase-times.ts'
import { Phases } from './phases.tsx'
import { BuildAgain } from './start-build-dialog.tsx'
import { StopBuild } from './stop-build.tsx'

/** A container build with its phases and live log. */
export function ContainerBuildView({ id }: { id: string }) {
  useTitle('Container build')
  const starts = useSignal<ReadonlyMap<string, string>>(new Map())
  const path = `/api/lambda-builds/${encodeURIComponent(id)}`
  const resource = useResource(id, {
    async load(signal) {
      const build = await request<ContainerBuildRecord>('GET', path, { signal })
      return { build, project: await projectName(build.projectId, signal) }
    },
    concerns: change => change.type === 'reset' || change.id === id,
  })
  return (
    <>
      <p class="back">
        <Link to="/builds?kind=containers">All container builds</Link>
      </p>
      {resource.value === undefined && <h1>Container build</h1>}
      <Loaded resource={resource} what="the container build">
        {({ build, project }) => (
          <>
            <div class="page-head">
              <h1>
                <bdi>{shown(project, 100)}</bdi>
              </h1>
              <ContainerBuildState build={build} />
              {isRunning(build) ? (
                <StopBuild build={build} project={project} />
              ) : (
                <BuildAgain build={build} />
              )}
            </div>
            {build.errorMessage !== '' && <Problem error={new Error(build.errorMessage)} />}
            {(starts.value.size > 0 || isRunning(build)) && (
              <Phases times={phaseTimes(build, starts.value)} />
            )}
            <BuildFacts build={build} />
            <section class="section build-log">
              <h2>Log</h2>
              <LiveLog
                path={`${path}/logs`}
                hasPhases
                empty="No lines yet. They appear here as they are written."
                onLine={({ phase, timestamp }) => {
                  if (!starts.peek().has(phase)) starts.value = new Map(starts.peek()).set(phase, timestamp)
                }}
                isLast={({ phase }) => phase === 'COMPLETED'}
              />
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}

/** Name of a project. A key with only the scope BUILD_AND_DEPLOY may see builds, but not projects. */
async function projectName(id: string, signal: AbortSignal): Promise<string> {
  try {
    return (await request<ProjectRecord>('GET', `/api/projects/${encodeURIComponent(id)}`, { signal })).name
  } catch (error) {
    if (error instanceof HostingError && error.code === 'INSUFFICIENT_SCOPE') return id
    throw error
  }
}

function BuildFacts({
  build: { id, createdAt, mcpId, imageUri, imageDigest },
}: {
  build: ContainerBuildRecord
}) {
  return (
    <Facts>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      {mcpId !== '' && (
        <Fact name="Result">
          <Link to={buildPath(mcpId)}>Show the server build</Link>
        </Fact>
      )}
      <Fact name="Id" wide>
        <Copyable text={id} what="the id" />
      </Fact>
      {imageUri !== '' && (
        <Fact name="Image" wide>
          <Copyable text={imageUri} what="the image" />
        </Fact>
      )}
      {imageDigest !== '' && (
        <Fact name="Digest" wide>
          <Copyable text={imageDigest} what="the digest" />
        </Fact>
      )}
    </Facts>
  )
}
