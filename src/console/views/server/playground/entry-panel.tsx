import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy.tsx'
import { Icon } from '../../../components/icon.tsx'
import { JsonEditor } from '../../../components/json-editor/json-editor.tsx'
import { shown } from '../../../components/text.tsx'
import type { Entry } from '../../../mcp/catalog.ts'
import type { Params } from '../../../mcp/messages.ts'
import { Link } from '../../../router/link.tsx'
import { SchemaForm, type Suggest } from '../../../schema-form/main.ts'
import { LongText } from '../../../schema-form/results/main.ts'
import type { Call } from './call.ts'
import { CallHistory } from './call-history.tsx'
import { CallPanel } from './call-panel.tsx'
import { DestructiveDialog } from './destructive-dialog.tsx'
import { Hints, hintsOf } from './hints.tsx'
import { entryPath, type Place } from './place.ts'
import type { Playground } from './playground.ts'

interface EntryProps {
  place: Place
  playground: Playground
  entry: Entry
}

const VERBS = { tool: 'Run', prompt: 'Get', resource: 'Read', template: 'Read' } as const

/** One tool, resource, template or prompt: what it is, its form and its newest call. */
export function EntryPanel({ place, playground, entry }: EntryProps) {
  const asking = useSignal<Params | undefined>(undefined)
  const panel = useRef<HTMLElement>(null)
  useRunKey(panel)
  const shownCall = useComputed(() => {
    const chosen = playground.chosen.value
    return chosen && isOf(chosen, entry) ? chosen : playground.calls.value.find(call => isOwn(call, entry))
  }).value
  const running = useComputed(() =>
    playground.calls.value.find(call => isOwn(call, entry) && call.outcome.value.status === 'running'),
  ).value
  const run = (args: Params) => {
    playground.run(entry, args)
  }
  const submit = (args: Params) => {
    if (running) return
    if (entry.kind === 'tool' && hintsOf(entry.source).isDestructive) asking.value = args
    else run(args)
  }
  return (
    <>
      <Link to={entryPath(place)} class="pg-back">
        <Icon name="back" /> Back to the list
      </Link>
      <section ref={panel} aria-labelledby="pg-entry" class="pg-card">
        <Head entry={entry} />
        <Arguments playground={playground} entry={entry} running={running} onSubmit={submit} />
      </section>
      {shownCall && <CallPanel key={shownCall.id} call={shownCall} playground={playground} place={place} />}
      <CallHistory playground={playground} place={place} />
      {asking.value && (
        <DestructiveDialog
          tool={entry.id}
          place={place}
          args={asking.value}
          onConfirm={() => run(asking.value!)}
          onClose={() => {
            asking.value = undefined
          }}
        />
      )}
    </>
  )
}

/** Ctrl+Enter runs from anywhere in the view. Forms and dialogs handle their own keys. */
function useRunKey(panel: { current: HTMLElement | null }): void {
  useEffect(() => {
    const run = (event: KeyboardEvent) => {
      const isKey = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented
      const isElsewhere = event.target instanceof Element && event.target.closest('form, dialog, a')
      if (!isKey || isElsewhere) return
      event.preventDefault()
      panel.current!.querySelector('form')!.requestSubmit()
    }
    addEventListener('keydown', run)
    return () => removeEventListener('keydown', run)
  }, [])
}

/** Calls of apps are shown only if the user chooses one. Otherwise, each call of an app would start the app again. */
function isOwn(call: Call, entry: Entry): boolean {
  return call.byApp === undefined && isOf(call, entry)
}

function isOf(call: Call, { kind, id }: Entry): boolean {
  return call.entry.kind === kind && call.entry.id === id
}

function Head({ entry: { kind, id, name, title, description, source } }: { entry: Entry }) {
  const heading = title ?? name
  const copy = <CopyButton text={id} what={`the name ${shown(id, 100)}`} />
  return (
    <header class="pg-head">
      <div class="pg-id">
        <h2 id="pg-entry">
          <bdi>{shown(heading, 300)}</bdi>
        </h2>
        {heading === id && copy}
      </div>
      {heading !== id && (
        <p class="pg-id">
          <code>
            <bdi>{shown(id, 1000)}</bdi>
          </code>
          {copy}
        </p>
      )}
      {kind === 'tool' && <Hints source={source} />}
      {description !== undefined && (
        <p class="pg-description">
          <LongText value={description} max={500} />
        </p>
      )}
    </header>
  )
}

/** Suggestions for the arguments of an entry. The protocol has no completion for tools. */
function suggestFor(playground: Playground, entry: Entry): Suggest | undefined {
  const offers = playground.connected.peek()?.connection.capabilities.completions
  if (!offers || entry.kind === 'tool') return undefined
  return (name, text, value) => playground.complete(entry, name, text, value as Params)
}

interface ArgumentsProps {
  playground: Playground
  entry: Entry
  running: Call | undefined
  onSubmit(args: Params): void
}

function Arguments({ playground, entry, running, onSubmit }: ArgumentsProps) {
  const form = playground.formOf(entry)
  const suggest = useMemo(() => suggestFor(playground, entry), [playground, entry])
  const buttons = (
    <>
      <Button
        type="submit"
        kind="primary"
        icon="start"
        title={`${VERBS[entry.kind]} (Ctrl+Enter)`}
        busy={running !== undefined}
      >
        {VERBS[entry.kind]}
      </Button>
      {running && <Button onClick={() => running.cancel()}>Cancel</Button>}
    </>
  )
  if (form)
    return (
      <SchemaForm
        form={form}
        label={shown(entry.name, 100)}
        JsonEditor={JsonEditor}
        suggest={suggest}
        onSubmit={value => onSubmit(value as Params)}
      >
        {buttons}
      </SchemaForm>
    )
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit({})
  }
  return (
    <form onSubmit={submit} class="sf-actions">
      {buttons}
    </form>
  )
}
