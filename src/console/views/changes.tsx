import './changes.css'
import type { ReleaseChanges } from '../../shared/contract/deployments/releases.ts'
import { counted } from '../../shared/counted.ts'
import { Tag } from '../components/state.tsx'
import { Text } from '../components/text.tsx'

interface ChangesProps {
  changes: ReleaseChanges
  /** Whether the list is open initially. */
  isOpen?: boolean
}

/** Changes that clients of the previous release notice, breaking ones first. */
export function Changes({ changes: { breaking, compatible, items }, isOpen }: ChangesProps) {
  if (breaking + compatible === 0) return null
  const sorted = items.toSorted((a, b) => Number(b.kind === 'breaking') - Number(a.kind === 'breaking'))
  const hidden = breaking + compatible - items.length
  return (
    <details class="changes" open={isOpen}>
      <summary>
        {breaking > 0 && <Tag tone="failed">{breaking} breaking</Tag>}{' '}
        {compatible > 0 && <Tag>{counted(compatible, 'compatible change')}</Tag>}
      </summary>
      <ul>
        {sorted.map(({ kind, path, message }) => (
          <li key={`${path} ${message}`} class={kind}>
            <code>
              <Text value={path} max={200} />
            </code>{' '}
            <Text value={message} max={400} />
          </li>
        ))}
        {hidden > 0 && <li class="muted">and {hidden} more</li>}
      </ul>
    </details>
  )
}
