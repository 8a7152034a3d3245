import { Button } from '../../../components/button.tsx'
import { Tag } from '../../../components/state.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import type { Edited } from './variable-dialog.tsx'
import type { Variable } from './variables.ts'

interface VariableTableProps {
  variables: readonly Variable[]
  onEdit(variable: Edited): void
  onRemove(name: string): void
}

export function VariableTable({ variables, onEdit, onRemove }: VariableTableProps) {
  const columns: readonly Column<Variable>[] = [
    { name: 'Name', kind: 'head', wide: true, cell: ({ name }) => <code class="wrap">{name}</code> },
    { name: 'Value', wide: true, cell: variable => <Value variable={variable} /> },
    { name: 'State', cell: variable => <VariableState variable={variable} /> },
    { name: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      name: 'Actions',
      hasNoLabel: true,
      kind: 'actions',
      wide: true,
      cell: ({ name, value, secret }) => (
        <>
          <Button
            kind="quiet"
            icon="edit"
            label={`Change ${name}`}
            onClick={() => onEdit({ name, value: value ?? '', secret, isNew: false })}
          />
          <Button kind="quiet" icon="remove" label={`Remove ${name}`} onClick={() => onRemove(name)} />
        </>
      ),
    },
  ]
  return <Table caption="Variables" columns={columns} rows={variables} keyOf={({ name }) => name} />
}

function Value({ variable: { value, secret } }: { variable: Variable }) {
  if (secret) return <span class="muted">secret, never shown</span>
  if (value === null) return <Tag tone="failed">cannot be decrypted</Tag>
  return (
    <code class="wrap">
      <Text value={value} max={400} />
    </code>
  )
}

function VariableState({ variable: { released, declared } }: { variable: Variable }) {
  return (
    <span class="tags">
      <Tag tone={released ? 'ok' : 'warn'}>{released ? 'released' : 'not released'}</Tag>
      {!declared && <Tag>not read by the newest build</Tag>}
    </span>
  )
}
