import { Loaded } from '../../components/loaded.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { loadServers, type Server, servers, serversError } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { serverPath } from '../paths.ts'
import { Urls } from './domain-columns.tsx'

interface ServerName {
  name: string
  kind: 'automatic' | 'custom domain'
  server: string
  environment: Server['deployments'][number]['environment']
  urls: readonly string[]
}

const COLUMNS: readonly Column<ServerName>[] = [
  { name: 'Name', kind: 'head', wide: true, cell: ({ name }) => <span class="wrap">{name}</span> },
  {
    name: 'Points to',
    cell: ({ server, environment }) => (
      <span class="wrap">
        <Link to={serverPath(server, '', environment)}>{server}</Link> in {environment}
      </span>
    ),
  },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'URLs', wide: true, cell: ({ urls }) => <Urls urls={urls} /> },
]

/** Names of live deployments that are not mapped: automatic names and custom domains. `server` limits them to one server. */
export function ServerNames({ server }: { server?: string }) {
  const resource = { value: servers.value, error: serversError.value, reload: () => void loadServers() }
  return (
    <section class="section" aria-labelledby="server-names">
      <h2 id="server-names">Names of deployments</h2>
      <Loaded resource={resource} what="the names">
        {all => {
          const chosen = [...all.values()].filter(({ name }) => server === undefined || name === server)
          const names = chosen.flatMap(namesOf)
          if (names.length === 0) return <p class="muted">No deployment has a name.</p>
          return (
            <Table
              caption="Names of deployments"
              columns={COLUMNS}
              rows={names}
              keyOf={({ name, server, environment }) => `${name} ${server} ${environment}`}
            />
          )
        }}
      </Loaded>
    </section>
  )
}

function namesOf({ name: server, deployments }: Server): ServerName[] {
  return deployments
    .filter(({ status }) => status === 'deployed')
    .flatMap(({ environment, subdomain, domain, named_urls = [] }) => {
      const place = { server, environment }
      const urlsOf = (name: string) => named_urls.filter(url => new URL(url).hostname === name)
      const automatic = subdomain && `${subdomain}.localhost`
      return [
        ...(automatic
          ? [{ ...place, name: automatic, kind: 'automatic', urls: urlsOf(automatic) } as const]
          : []),
        ...(domain ? [{ ...place, name: domain, kind: 'custom domain', urls: urlsOf(domain) } as const] : []),
      ]
    })
}
