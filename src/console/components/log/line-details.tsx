import { hrefOf, path, type QueryChanges, query } from '../../router/router.ts'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy.tsx'
import { FilterButton } from '../filters/filter-button.tsx'
import { shown } from '../text.tsx'
import { detailsOf, type LogLine, withoutEscapes } from './log-text.ts'

const MESSAGE_LENGTH = 50_000

/** Filters that select the lines with the same value of a field. Undefined for a field without a filter. */
export type FieldFilter = (field: string, line: LogLine) => QueryChanges | undefined

interface LineDetailsProps {
  line: LogLine
  fieldFilter?: FieldFilter | undefined
  onClose(): void
}

/** All fields of one line. */
export function LineDetails({ line, fieldFilter, onClose }: LineDetailsProps) {
  return (
    <section class="line-details" aria-label="Selected line">
      <div class="line-head">
        <span class="mono">{new Date(line.timestamp).toLocaleString()}</span>
        <span class="grow">{line.level}</span>
        <CopyButton text={linkTo(line)} what="the link to this line" caption="Link" />
        <CopyButton text={line.message} what="the message" />
        <Button kind="quiet" icon="close" label="Close the details" onClick={onClose} />
      </div>
      <pre class="wrap">
        <bdi>{shown(withoutEscapes(line.message), MESSAGE_LENGTH)}</bdi>
      </pre>
      <dl>
        {detailsOf(line).map(([name, value]) => (
          <div key={name}>
            <dt>{shown(name, 80)}</dt>
            <dd class="mono wrap">
              <Value value={value} filters={fieldFilter?.(name, line)} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface ValueProps {
  value: string
  filters: QueryChanges | undefined
}

function Value({ value, filters }: ValueProps) {
  if (filters) return <FilterButton value={value} filters={filters} what="lines" />
  return <bdi>{shown(withoutEscapes(value))}</bdi>
}

/** URL of the line without filters, which might exclude the line by the time the link is used. */
function linkTo({ environment }: LogLine & { environment?: string }): string {
  const search = new URLSearchParams({
    ...(environment && { env: environment }),
    line: query.value.get('line')!,
  })
  return `${location.origin}${hrefOf(path.value)}?${search}`
}
