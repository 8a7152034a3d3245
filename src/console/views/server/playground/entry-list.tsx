import './entry-list.css'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Filter } from '../../../components/filters/filter.tsx'
import { Problem } from '../../../components/loaded.tsx'
import { shown, Text } from '../../../components/text.tsx'
import { type Catalog, type Entry, KINDS, type Kind } from '../../../mcp/catalog.ts'
import { Link } from '../../../router/link.tsx'
import { entryPath, type Place } from './place.ts'

const HEADINGS: Record<Kind, string> = {
  tool: 'Tools',
  resource: 'Resources',
  template: 'Resource templates',
  prompt: 'Prompts',
}

/** Longer lists are shown in parts. */
const PAGE = 200

interface ListProps {
  place: Place
  catalog: Catalog
  chosen: Entry | undefined
}

/** Everything that the server offers. The arrow keys move through the entries, also from the filter. */
export function EntryList({ place, catalog, chosen }: ListProps) {
  const filter = useSignal('')
  const list = useRef<HTMLElement>(null)
  const found = catalog.entries.filter(entry => matches(entry, filter.value))
  return (
    <nav
      class="pg-list"
      aria-label="What the server offers"
      ref={list}
      onKeyDown={event => moveFocus(event, list.current!)}
    >
      <Filter
        label="Filter by name or description"
        placeholder="Filter"
        value={filter.value}
        onInput={text => {
          filter.value = text
        }}
      />
      {catalog.errors.map(error => (
        <Problem key={error.message} error={error} />
      ))}
      {found.length === 0 && (
        <p class="muted">
          {filter.value === '' ? 'The server offers nothing.' : `Nothing matches “${filter.value}”.`}
        </p>
      )}
      {KINDS.map(kind => (
        <Group
          key={kind}
          kind={kind}
          entries={found.filter(entry => entry.kind === kind)}
          chosen={chosen}
          place={place}
        />
      ))}
    </nav>
  )
}

interface GroupProps {
  kind: Kind
  entries: readonly Entry[]
  chosen: Entry | undefined
  place: Place
}

function Group({ kind, entries, chosen, place }: GroupProps) {
  const limit = useSignal(PAGE)
  if (entries.length === 0) return null
  return (
    <section aria-labelledby={`pg-${kind}`}>
      <h2 id={`pg-${kind}`}>
        {HEADINGS[kind]} <span class="muted">{entries.length}</span>
      </h2>
      <ul>
        {entries.slice(0, limit.value).map(entry => (
          <li key={entry.id}>
            <Link
              to={entryPath(place, entry)}
              class="pg-entry"
              aria-current={entry === chosen ? 'true' : undefined}
            >
              <span class="truncate">
                <Text value={entry.name} max={200} />
              </span>
              <About entry={entry} />
            </Link>
          </li>
        ))}
      </ul>
      {entries.length > limit.value && (
        <button type="button" class="pg-more" onClick={() => (limit.value += PAGE)}>
          Show {Math.min(PAGE, entries.length - limit.value)} more
        </button>
      )}
    </section>
  )
}

/** One line of explanation next to the name. */
function About({ entry: { title, description, name, id } }: { entry: Entry }) {
  const text = [title, description, id].find(one => one !== undefined && one !== name)
  if (text === undefined) return null
  return (
    <span class="pg-about truncate" title={shown(text, 300)}>
      <Text value={text} max={200} />
    </span>
  )
}

function matches({ id, name, title = '', description = '' }: Entry, filter: string): boolean {
  const text = `${id}\n${name}\n${title}\n${description}`.toLowerCase()
  return text.includes(filter.trim().toLowerCase())
}

/** Up, Down, Home and End move through the filter and the entries. */
function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
  const stops = [...list.querySelectorAll<HTMLElement>('input, a, .pg-more')]
  const at = stops.indexOf(document.activeElement as HTMLElement)
  const isTyping = event.target instanceof HTMLInputElement
  const last = stops.length - 1
  const targets: Record<string, number | undefined> = {
    ArrowDown: Math.min(at + 1, last),
    ArrowUp: Math.max(at - 1, 0),
    Home: isTyping ? undefined : 1,
    End: isTyping ? undefined : last,
  }
  const target = targets[event.key]
  if (at < 0 || target === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  stops[target]?.focus()
}
