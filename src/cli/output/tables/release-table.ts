import type { ReleaseRecord } from '../../../shared/contract/deployments/releases.ts'
import { formatAge, formatElapsed } from '../../../shared/format/relative-time.ts'
import type { Output } from '../output.ts'

const COLUMNS: readonly [header: string, cell: (release: ReleaseRecord) => string][] = [
  ['VERSION', ({ version }) => `v${version}`],
  ['AGE', ({ createdAt }) => formatElapsed(createdAt)],
  ['STATUS', statusText],
  ['BY', ({ author }) => author ?? ''],
  ['REQUESTS', ({ requests, errors }) => (errors > 0 ? `${requests}, ${errors} failed` : String(requests))],
  ['CHANGES', changesText],
  ['TESTS', ({ test }) => (test ? `${test.passed}/${test.total}` : '')],
  ['COMMIT', commitText],
  ['DIGEST', ({ digest }) => digest?.slice(0, 7) ?? ''],
  ['MESSAGE', messageText],
]

/** Prints releases in the order of the list. Omits columns that are empty for all releases. */
export function releaseTable(output: Output, releases: readonly ReleaseRecord[]): void {
  const shown = COLUMNS.filter(([, cell]) => releases.some(release => cell(release) !== ''))
  output.table(
    shown.map(([header]) => header),
    releases.map(release => shown.map(([, cell]) => cell(release))),
    'No releases.',
  )
}

/** `version 3 (2 h ago by ci: Greet in French)` */
export function describeRelease(release: ReleaseRecord): string {
  const { version, createdAt, author } = release
  const by = author === null ? '' : ` by ${author}`
  const text = messageText(release)
  return `version ${version} (${formatAge(createdAt)}${by}${text && `: ${text}`})`
}

function statusText({ status, isRemoved }: ReleaseRecord): string {
  if (status === 'deployed') return isRemoved ? 'stopped' : 'live'
  return status
}

function changesText({ changes }: ReleaseRecord): string {
  if (!changes || changes.breaking + changes.compatible === 0) return ''
  if (changes.breaking === 0) return `${changes.compatible} compatible`
  return changes.compatible === 0
    ? `${changes.breaking} breaking`
    : `${changes.breaking} breaking, ${changes.compatible} compatible`
}

export function commitText({ git }: Pick<ReleaseRecord, 'git'>): string {
  return git ? `${git.commit.slice(0, 7)}${git.dirty ? ' (dirty)' : ''}` : ''
}

export function messageText({ message, rollbackTo }: Pick<ReleaseRecord, 'message' | 'rollbackTo'>): string {
  const rollback = rollbackTo === null ? undefined : `rollback to v${rollbackTo}`
  return [rollback, message].filter(Boolean).join(': ')
}
