import './servers.css'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Loaded } from '../../components/loaded.tsx'
import { loadServers, type Server, servers, serversError } from '../../model/servers.ts'
import { useTitle } from '../../router/use-title.ts'
import { NoServers } from './no-servers.tsx'
import { ServerTable } from './server-table.tsx'

export function ServersView() {
  useTitle('Servers')
  const filter = useSignal('')
  const resource = {
    value: servers.value,
    error: serversError.value,
    reload: () => void loadServers(),
  }
  return (
    <>
      <div class="page-head">
        <h1>Servers</h1>
        {resource.value !== undefined && resource.value.size > 0 && (
          <Filter
            value={filter.value}
            onChange={text => {
              filter.value = text
            }}
          />
        )}
      </div>
      <Loaded resource={resource} what="the servers">
        {all => (all.size === 0 ? <NoServers /> : <Servers all={[...all.values()]} filter={filter.value} />)}
      </Loaded>
    </>
  )
}

function Servers({ all, filter }: { all: readonly Server[]; filter: string }) {
  const wanted = filter.trim().toLowerCase()
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted))
  if (found.length > 0) return <ServerTable servers={found} />
  return <p class="muted">No server has “{filter}” in its name.</p>
}

/** `/` moves the focus here. */
function Filter({ value, onChange }: { value: string; onChange(text: string): void }) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return
      event.preventDefault()
      input.current!.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <input
      ref={input}
      class="input filter"
      type="search"
      aria-label="Filter servers by name"
      placeholder="Filter  /"
      value={value}
      onInput={event => onChange(event.currentTarget.value)}
    />
  )
}
