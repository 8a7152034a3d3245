import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { useFirstItems } from '../../../api/first-items.ts'
import { Fact, Facts } from '../../../components/figures/facts.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { concerns, servers } from '../../../model/servers.ts'
import { Link } from '../../../router/link.tsx'
import { BuildFailure } from '../../builds/build-failure.tsx'
import { serverPath } from '../../paths.ts'
import { Change, ReleaseState, Verdict } from '../releases/release-columns.tsx'
import type { TabProps } from '../tab-props.ts'

/** The newest release of the environment and what it changed, even if it failed. */
export function LastRelease({ name, environment, deployment }: TabProps) {
  const { resource } = useFirstItems<ReleaseRecord>(`/api/servers/${encodeURIComponent(name)}/releases`, {
    query: { environment },
    pageSize: 1,
    concerns: concerns(name, ['release', 'deployment']),
  })
  const failedBuild = servers.value?.get(name)?.failedBuild
  return (
    <section class="section last-release" aria-label="Last release">
      <div class="section-head">
        <h2>Last release</h2>
        <Link to={serverPath(name, '/releases', environment)}>All releases</Link>
      </div>
      {failedBuild && <BuildFailure build={failedBuild} />}
      <Loaded resource={resource} what="the last release">
        {({ items: [release] }) => release && <Release release={release} liveId={deployment.deployment_id} />}
      </Loaded>
    </section>
  )
}

function Release({ release, liveId }: { release: ReleaseRecord; liveId: string }) {
  // The view shows the failure of the live deployment above.
  const error = release.deploymentId === liveId ? null : release.error
  const { version, author, changes, createdAt, test } = release
  return (
    <Facts>
      <Fact name="Version">v{version}</Fact>
      <Fact name="State">
        <ReleaseState release={release} liveId={liveId} />
      </Fact>
      <Fact name="Released">
        <Time at={createdAt} />
      </Fact>
      <Fact name="By">{author !== null && <Text value={author} max={60} />}</Fact>
      <Fact name="Tests">{test && <Verdict test={test} />}</Fact>
      <Fact name="Change" wide>
        <Change release={{ ...release, error }} />
        {changes?.breaking === 0 && changes.compatible === 0 && (
          <p class="muted">Nothing changed for clients.</p>
        )}
      </Fact>
    </Facts>
  )
}
