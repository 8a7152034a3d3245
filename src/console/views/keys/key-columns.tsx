import type { KeyRecord } from '../../../shared/contract/access/api-keys.ts'
import { Button } from '../../components/button.tsx'
import { Tag } from '../../components/state.tsx'
import type { Column } from '../../components/table.tsx'
import { shown, Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'

/** `ownId`: the key whose permissions this browser has. */
export function keyColumns(
  ownId: string | undefined,
  onRevoke: (key: KeyRecord) => void,
): readonly Column<KeyRecord>[] {
  return [
    {
      name: 'Name',
      kind: 'head',
      wide: true,
      cell: ({ name, apiKeyId }) => (
        <span class="wrap">
          <Text value={name} max={100} /> {apiKeyId === ownId && <Tag tone="accent">this browser</Tag>}
        </span>
      ),
    },
    {
      name: 'Scopes',
      wide: true,
      cell: ({ scopes }) => (
        <span class="tags">
          {scopes.map(scope => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </span>
      ),
    },
    {
      name: 'Requests this hour',
      kind: 'number',
      cell: ({ rateLimit: { used, limit } }) =>
        `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}`,
    },
    { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never') },
    { name: 'Expires', cell: key => <Expiry apiKey={key} /> },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: key => (
        <Button
          kind="quiet"
          icon="remove"
          label={`Revoke ${shown(key.name, 60)}`}
          onClick={() => onRevoke(key)}
        />
      ),
    },
  ]
}

function Expiry({ apiKey: { expiresAt, isExpired } }: { apiKey: KeyRecord }) {
  if (expiresAt === null) return <>never</>
  if (isExpired) return <Tag tone="failed">expired</Tag>
  return <time dateTime={expiresAt}>{new Date(expiresAt).toLocaleDateString()}</time>
}
