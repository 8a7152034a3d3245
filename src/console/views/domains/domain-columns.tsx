import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { State } from '../../components/state.tsx'
import type { Column } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'
import { Link } from '../../router/link.tsx'
import { serverPath } from '../paths.ts'

export function domainColumns(
  onAsk: (action: 'map' | 'remove', mapping: MappingRecord) => void,
): readonly Column<MappingRecord>[] {
  return [
    {
      name: 'Subdomain',
      kind: 'head',
      wide: true,
      cell: ({ subdomain }) => <span class="wrap">{subdomain}</span>,
    },
    {
      name: 'Points to',
      cell: ({ server, environment }) => (
        <span class="wrap">
          <Link to={serverPath(server, '', environment)}>
            <Text value={server} max={100} />
          </Link>{' '}
          in {environment}
        </span>
      ),
    },
    {
      name: 'State',
      cell: ({ status }) => (status ? <State value={status} /> : <State value="not deployed" />),
    },
    { name: 'URLs', wide: true, cell: ({ url, secureUrl }) => <Urls urls={[url, secureUrl]} /> },
    { name: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: mapping => (
        <>
          <Button
            kind="quiet"
            icon="edit"
            label={`Change the target of ${mapping.subdomain}`}
            onClick={() => onAsk('map', mapping)}
          />
          <Button
            kind="quiet"
            icon="remove"
            label={`Remove ${mapping.subdomain}`}
            onClick={() => onAsk('remove', mapping)}
          />
        </>
      ),
    },
  ]
}

/** The API leaves a URL empty while the named gateway is not listening. */
export function Urls({ urls }: { urls: readonly string[] }) {
  const open = urls.filter(url => url !== '')
  if (open.length === 0) return <span class="muted">The named gateway is not listening.</span>
  return (
    <span class="domain-urls">
      {open.map(url => (
        <span key={url}>
          <code class="wrap">{url}</code>
          <CopyButton text={url} what={url} />
        </span>
      ))}
    </span>
  )
}
