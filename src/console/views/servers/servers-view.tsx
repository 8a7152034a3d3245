import './servers.css'
import { QueryFilter } from '../../components/filters/query-filter.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { loadServers, type Server, servers, serversError } from '../../model/servers.ts'
import { query } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { NewServerButton, OpenNewServer } from '../deploy/new-server-button.tsx'
import { NoServers } from '../deploy/no-servers.tsx'
import { ServerTable } from './server-table.tsx'

export function ServersView() {
  useTitle('Servers')
  const filter = query.value.get('filter') ?? ''
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
          <div class="filters">
            <QueryFilter name="filter" label="Filter servers by name" placeholder="Filter" />
            <NewServerButton />
          </div>
        )}
      </div>
      <Loaded resource={resource} what="the servers">
        {all => (all.size === 0 ? <NoServers /> : <Servers all={[...all.values()]} filter={filter} />)}
      </Loaded>
      <OpenNewServer />
    </>
  )
}

function Servers({ all, filter }: { all: readonly Server[]; filter: string }) {
  const wanted = filter.trim().toLowerCase()
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted))
  if (found.length > 0) return <ServerTable servers={found} />
  return <p class="muted">No server name contains “{filter}”.</p>
}
