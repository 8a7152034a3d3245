import './playground.css'
import { useEffect } from 'preact/hooks'
import { onChange, onReconnect } from '../../../api/feed.ts'
import { Loading, Problem } from '../../../components/loaded.tsx'
import { type Catalog, type Entry, unlistedResource } from '../../../mcp/catalog.ts'
import { SignInRequiredError } from '../../../mcp/messages.ts'
import { query } from '../../../router/router.ts'
import type { PlaceProps } from '../tab-props.ts'
import { EntryList } from './entry-list.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { type Playground, playgroundOf } from './playground.ts'
import { ServerPanel } from './server-panel.tsx'
import { TokenForm } from './token-form.tsx'

/** Tools, resources, templates and prompts of a server, for manual use. */
export function PlaygroundView({ name, environment, deployment, build }: PlaceProps) {
  const playground = playgroundOf(name, environment)
  useEffect(() => playground.show(), [playground])
  useRefresh(
    playground,
    deployment
      ? { id: deployment.deployment_id, status: deployment.status, served: `v${deployment.version}` }
      : { id: build?.mcp_id, status: build?.status, served: build?.mcp_id },
  )
  const connected = playground.connected.value
  const error = playground.error.value
  if (error instanceof SignInRequiredError) return <TokenForm playground={playground} />
  if (!connected)
    return error ? (
      <Problem error={error} onRetry={() => void playground.connect()} />
    ) : (
      <Loading what="what the server offers" />
    )
  const place = { name, environment }
  const entry = chosenEntry(connected.catalog)
  return (
    <div class={entry ? 'playground chosen' : 'playground'}>
      <EntryList place={place} catalog={connected.catalog} chosen={entry} />
      <div class="pg-detail">
        {error && <Problem error={error} onRetry={() => void playground.connect()} />}
        {entry ? (
          <EntryPanel key={`${entry.kind} ${entry.id}`} place={place} playground={playground} entry={entry} />
        ) : (
          <ServerPanel playground={playground} connected={connected} place={place} />
        )}
      </div>
    </div>
  )
}

interface Release {
  id: string | undefined
  status: string | undefined
  served: string | undefined
}

/** Connects again when another release starts to serve, the server is started, or the API is back. */
function useRefresh(playground: Playground, { id, status, served }: Release): void {
  const release = `${id} ${status}`
  useEffect(() => {
    if (status === 'deploying' || status === 'building') return
    if (playground.release !== undefined && playground.release !== release) void playground.connect()
    playground.release = release
    playground.served.value = served
  }, [playground, release])
  useEffect(() => {
    const retry = () => playground.error.peek() && void playground.connect()
    const stops = [onChange(({ type }) => type === 'reset' && retry()), onReconnect(retry)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [playground])
}

/** The entry that the URL names. URLs cannot contain unpaired surrogates. A server can have resources that it does not list. */
function chosenEntry({ entries }: Catalog): Entry | undefined {
  const kind = query.value.get('kind')
  const id = query.value.get('name')
  const listed = entries.find(entry => entry.kind === kind && entry.id.toWellFormed() === id)
  return listed ?? (kind === 'resource' && id ? unlistedResource(id) : undefined)
}
