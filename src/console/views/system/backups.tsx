import type { BackupList, BackupRecord } from '../../../shared/contract/daemon/daemon-health.ts'
import { counted } from '../../../shared/counted.ts'
import { HostingError } from '../../../shared/errors.ts'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useAction } from '../../components/action.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Loaded, Problem } from '../../components/loaded.tsx'
import { notify, notifyError } from '../../components/notices.tsx'
import { Tag } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { Time } from '../../components/time.tsx'

type Backup = BackupList['items'][number]

const COLUMNS: readonly Column<Backup>[] = [
  {
    name: 'Created',
    kind: 'head',
    cell: ({ createdAt }) => (createdAt === undefined ? 'unknown' : <Time at={createdAt} />),
  },
  { name: 'Reason', cell: ({ reason }) => reason ?? '–' },
  { name: 'Version', cell: ({ version }) => version ?? '–' },
  {
    name: 'Files',
    kind: 'number',
    cell: ({ files, missing }) => (
      <>
        {missing > 0 && <Tag tone="warn">{missing} missing</Tag>} {files}
      </>
    ),
  },
  { name: 'Size', kind: 'number', cell: ({ bytes }) => formatBytes(bytes) },
  {
    name: 'Path',
    wide: true,
    cell: ({ file }) => (
      <span class="mono wrap">
        <Text value={file} max={500} />
      </span>
    ),
  },
]

/**
 * Backups in the home and in external storage. The feed does not report backups, so the list is reloaded after each backup from
 * this page.
 */
export function Backups() {
  const resource = useResource('backups', {
    load: signal => request<BackupList>('GET', '/api/daemon/backups', { signal }),
    concerns: ({ type }) => type === 'reset',
  })
  const backUp = useAction(async () => {
    await backUpNow().catch(notifyError)
    resource.reload()
  })
  return (
    <section class="section">
      <div class="section-head">
        <h2>Backups</h2>
        {resource.value && (
          <Button busy={backUp.isRunning} onClick={() => void backUp.run()}>
            {backUp.isRunning ? 'Backing up…' : 'Back up now'}
          </Button>
        )}
      </div>
      <Loaded resource={resource} what="the backups">
        {({ items, storageError }) => (
          <>
            {storageError !== undefined && <Problem error={unreadStorage(storageError)} />}
            {items.length === 0 ? (
              <p class="muted">There is no backup yet. The daemon makes one every day.</p>
            ) : (
              <Stored items={items} />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function unreadStorage(details: string): HostingError {
  return new HostingError('UPSTREAM_FAILED', 'The backups in external storage could not be read.', {
    details,
  })
}

function Stored({ items }: BackupList) {
  return (
    <>
      <Table
        caption="Backups, newest first"
        columns={COLUMNS}
        rows={items.toSorted((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? ''))}
        keyOf={({ file }) => file}
      />
      <div class="restore">
        <p class="muted">
          Keep a copy of <code>secret.key</code> elsewhere, because backups do not contain it. Stop the daemon
          before you restore:
        </p>
        <Copyable text="mcp daemon stop && mcp daemon restore" what="the command" />
      </div>
    </>
  )
}

async function backUpNow(): Promise<void> {
  const { files, bytes, sendError } = await request<BackupRecord>('POST', '/api/daemon/backup')
  notify(`Backed up the database and ${counted(files, 'file')}, ${formatBytes(bytes)}.`)
  if (sendError !== undefined)
    notifyError(
      new HostingError('UPSTREAM_FAILED', 'The backup was made, but not sent to external storage.', {
        details: sendError,
      }),
    )
}
