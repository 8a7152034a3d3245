import type { ReleaseRecord } from '../../../../shared/contract/deployments/releases.ts'
import { formatPercent } from '../../../../shared/format/metric-format.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorText } from '../../../components/error-text.tsx'
import { State, Tag } from '../../../components/state.tsx'
import type { Column } from '../../../components/table.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { failureOf } from '../../../model/failure.ts'
import { Changes } from '../../changes.tsx'
import { DeployButton } from '../../deploy/deploy-button.tsx'
import type { DeployTarget } from '../../deploy/deploy-target.ts'

export function releaseColumns(
  liveId: string,
  onRollback: (release: ReleaseRecord) => void,
): readonly Column<ReleaseRecord>[] {
  return [
    { name: 'Release', kind: 'head', cell: ({ version }) => `v${version}` },
    { name: 'State', cell: release => <ReleaseState release={release} liveId={liveId} /> },
    { name: 'Change', wide: true, cell: release => <Change release={release} /> },
    {
      name: 'By',
      cell: ({ author, createdAt }) => (
        <span class="by">
          {author === null ? <span class="muted">unknown</span> : <Text value={author} max={60} />}
          <span class="muted">
            <Time at={createdAt} />
          </span>
        </span>
      ),
    },
    { name: 'Tests', cell: ({ test }) => (test ? <Verdict test={test} /> : <span class="muted">none</span>) },
    { name: 'Requests', kind: 'number', cell: ({ requests }) => requests.toLocaleString('en') },
    {
      name: 'Errors',
      kind: 'number',
      cell: ({ requests, errors }) => (requests === 0 ? '–' : formatPercent(errors / requests)),
    },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: release => (
        <span class="release-actions">
          {canRollBackTo(release, liveId) && (
            <Button onClick={() => onRollback(release)}>
              Roll back<span class="hidden"> to v{release.version}</span>
            </Button>
          )}
          {release.deployedAt !== null && (
            <DeployButton target={promotionOf(release)}>
              Promote<span class="hidden"> v{release.version}</span>
            </DeployButton>
          )}
        </span>
      ),
    },
  ]
}

function promotionOf({
  name,
  mcpId,
  environment,
  version,
  deploymentId,
  isRemoved,
}: ReleaseRecord): DeployTarget {
  const from = { environment, version, deploymentId: isRemoved ? undefined : deploymentId }
  return { name, mcpId, from }
}

/** A release that never served cannot be rolled back to. A release whose deployment was removed usually still has its build. */
function canRollBackTo({ deploymentId, deployedAt, status }: ReleaseRecord, liveId: string): boolean {
  return deploymentId !== liveId && deployedAt !== null && status !== 'deploying'
}

export function ReleaseState({
  release: { deploymentId, isRemoved, deployedAt, status },
  liveId,
}: {
  release: ReleaseRecord
  liveId: string
}) {
  if (deploymentId === liveId) return <State value={status} />
  const hasServed = isRemoved ? deployedAt !== null : status === 'stopped'
  if (hasServed) return <span class="muted">replaced</span>
  return isRemoved ? <span class="muted">removed</span> : <State value={status} />
}

export function Change({
  release: { message, rollbackTo, git, changes, error },
}: {
  release: ReleaseRecord
}) {
  return (
    <div class="change">
      <p class="wrap">
        {message !== null && <Text value={message} />}
        {message === null && rollbackTo === null && <span class="muted">No message</span>}
        {rollbackTo !== null && (
          <>
            {' '}
            <Tag>back to v{rollbackTo}</Tag>
          </>
        )}
        {git && (
          <>
            {' '}
            <span class="mono muted">
              {git.commit.slice(0, 7)}
              {git.dirty && ' with changes'}
            </span>
          </>
        )}
      </p>
      {error && <ErrorText error={failureOf(error)} />}
      {changes && <Changes changes={changes} />}
    </div>
  )
}

export function Verdict({ test: { passed, total, required } }: { test: NonNullable<ReleaseRecord['test']> }) {
  const hasPassed = total === 0 || passed / total >= required
  return (
    <Tag tone={hasPassed ? 'ok' : 'failed'}>
      {passed} of {total}
    </Tag>
  )
}
