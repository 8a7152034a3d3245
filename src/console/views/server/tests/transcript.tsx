import { useSignal } from '@preact/signals'
import type { TranscriptEntry } from '../../../../shared/contract/testing/suite-runs.ts'
import { formatMs } from '../../../../shared/format/metric-format.ts'
import { Button } from '../../../components/button.tsx'
import { Tag } from '../../../components/state.tsx'
import { Text } from '../../../components/text.tsx'

const PAGE = 50
const NAMES = { user: 'User', assistant: 'Agent', tool: 'Tool' }

/** A conversation with the tool calls of the agent. */
export function Transcript({ entries }: { entries: readonly TranscriptEntry[] }) {
  const limit = useSignal(PAGE)
  return (
    <>
      <ol class="transcript">
        {entries.slice(0, limit.value).map((entry, index) => (
          <Entry key={index} entry={entry} />
        ))}
      </ol>
      {entries.length > limit.value && (
        <Button onClick={() => (limit.value += PAGE)}>Show more of the conversation</Button>
      )}
    </>
  )
}

function Entry({
  entry: { role, text, tool, arguments: args, error, seconds, isTruncated },
}: {
  entry: TranscriptEntry
}) {
  return (
    <li class={role}>
      <span class="muted">{NAMES[role]}</span>
      <div>
        {tool !== undefined && (
          <p class="mono wrap">
            <Text value={tool} max={100} /> {args !== undefined && <Text value={args} />}{' '}
            {seconds !== undefined && <span class="muted">{formatMs(seconds * 1000)}</span>}
          </p>
        )}
        {error ? (
          <p class="wrap lines error">
            <Text value={error} />
          </p>
        ) : (
          <p class="wrap lines">
            <Text value={text} />
          </p>
        )}
        {isTruncated && <Tag>truncated</Tag>}
      </div>
    </li>
  )
}
