import type { UnusedItem } from '../../../shared/contract/daemon/prune.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { formatElapsed } from '../../../shared/format/relative-time.ts'
import type { Column } from '../../components/table.tsx'
import { shown, Text } from '../../components/text.tsx'
import { Link } from '../../router/link.tsx'
import { buildPath } from '../paths.ts'
import { keyOf } from './unused-text.ts'

export function unusedColumns(
  chosen: ReadonlySet<string>,
  onToggle: (item: UnusedItem) => void,
): readonly Column<UnusedItem>[] {
  return [
    {
      name: 'Item',
      kind: 'head',
      wide: true,
      cell: item => (
        <label class="check">
          <input
            type="checkbox"
            aria-label={`Select ${item.kind} ${shown(item.id, 100)}`}
            checked={chosen.has(keyOf(item))}
            onChange={() => onToggle(item)}
          />
          {item.kind}
        </label>
      ),
    },
    { name: 'Server', cell: ({ name }) => (name === '' ? '–' : <Text value={name} max={100} />) },
    { name: 'Reason', cell: ({ reason }) => reason },
    { name: 'Age', kind: 'number', cell: ({ createdAt }) => formatElapsed(createdAt) },
    { name: 'Size', kind: 'number', cell: ({ bytes }) => formatBytes(bytes) },
    { name: 'Id', wide: true, cell: item => <Id item={item} /> },
  ]
}

function Id({ item: { kind, id } }: { item: UnusedItem }) {
  if (kind === 'build')
    return (
      <Link to={buildPath(id)} class="mono wrap">
        {id}
      </Link>
    )
  return (
    <span class="mono wrap">
      <Text value={id} max={300} />
    </span>
  )
}
