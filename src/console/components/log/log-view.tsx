import { useRef } from 'preact/hooks'
import { openInQuery, query, setQuery } from '../../router/router.ts'
import type { RowBuffer } from '../rows/row-buffer.ts'
import { type FieldFilter, LineDetails } from './line-details.tsx'
import { lineKey, lineMatcher, parseLineKey } from './line-key.ts'
import { LogList } from './log-list.tsx'
import type { LogLine } from './log-text.ts'

interface LogViewProps {
  buffer: RowBuffer<LogLine>
  /** Lines show the phase that they belong to. */
  hasPhases?: boolean | undefined
  fieldFilter?: FieldFilter | undefined
}

/** Lines of a log with the details of the selected one, which is part of the URL. */
export function LogView({ buffer, hasPhases, fieldFilter }: LogViewProps) {
  // The selected line may be among new lines of the buffer.
  void buffer.version.value
  const selected = useLineNumber(buffer, query.value.get('line'))
  const line = selected === undefined ? undefined : buffer.at(selected)
  return (
    <>
      <LogList
        buffer={buffer}
        hasPhases={hasPhases}
        selected={selected}
        onSelect={number => openInQuery('line', lineKey(buffer.at(number)!, number))}
      />
      {line && (
        <LineDetails line={line} fieldFilter={fieldFilter} onClose={() => setQuery({ line: undefined })} />
      )}
    </>
  )
}

/** Number of the line that a key names. Remembers a found line, because a log may have 100,000 lines. */
function useLineNumber(buffer: RowBuffer<LogLine>, key: string | null): number | undefined {
  const known = useRef<{ key: string; number: number } | undefined>(undefined)
  if (key === null) return undefined
  if (known.current?.key === key && buffer.at(known.current.number)) return known.current.number
  const number = findLine(buffer, key)
  known.current = number === undefined ? undefined : { key, number }
  return number
}

function findLine(buffer: RowBuffer<LogLine>, key: string): number | undefined {
  const parsed = parseLineKey(key)
  if (parsed) return buffer.numberOf(lineMatcher(parsed))
  const number = Number(key)
  return buffer.at(number) && lineKey(buffer.at(number)!, number) === key ? number : undefined
}
