import type {
  Certificate,
  CertificateList,
  HostCertificate,
} from '../../../shared/contract/deployments/certificates.ts'
import { counted } from '../../../shared/counted.ts'
import { expiryNote } from '../../../shared/format/expiry.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { Copyable, CopyButton } from '../../components/copy.tsx'
import { Loaded, ReloadButton } from '../../components/loaded.tsx'
import { Tag } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'

const COLUMNS: readonly Column<HostCertificate>[] = [
  {
    name: 'Name',
    kind: 'head',
    wide: true,
    cell: ({ host, problem }) => (
      <>
        <span class="wrap">{host}</span>
        {problem !== null && (
          <p class="certificate-problem wrap">
            <Text value={problem} />
          </p>
        )}
      </>
    ),
  },
  {
    name: 'Issued by',
    cell: ({ source, certificate }) =>
      source === 'authority' ? 'Local authority' : <Issuer certificate={certificate} />,
  },
  { name: 'Expires', cell: ({ certificate }) => (certificate ? <Expiry at={certificate.notAfter} /> : '–') },
  {
    name: 'SHA-256 fingerprint',
    wide: true,
    cell: ({ host, certificate }) => (certificate ? <Fingerprint of={certificate} what={host} /> : '–'),
  },
]

/** Certificates of the names that are served over HTTPS. Files change without an event, so a button reloads the list. */
export function Certificates() {
  const resource = useResource('certificates', {
    load: signal => request<CertificateList>('GET', '/api/certificates', { signal }),
    concerns: ({ type }) => ['reset', 'mapping', 'deployment', 'server'].includes(type),
  })
  // The API does not have this extension.
  if (resource.error?.code === 'METHOD_NOT_ALLOWED') return null
  return (
    <section class="section" aria-labelledby="certificates">
      <div class="section-head">
        <h2 id="certificates">Certificates</h2>
        <ReloadButton label="Load the certificates again" resource={resource} />
      </div>
      <Loaded resource={resource} what="the certificates">
        {list =>
          list.port === null ? (
            <p class="muted">
              Names are not served over HTTPS. The daemon's log says why: <code>mcp daemon logs</code>
            </p>
          ) : (
            <Listed list={list} />
          )
        }
      </Loaded>
    </section>
  )
}

/** Names without a certificate have nothing to show, so they are only counted. */
function Listed({ list: { items, authority } }: { list: CertificateList }) {
  const isOpen = ({ certificate, problem }: HostCertificate) => certificate === null && problem === null
  const shown = items.filter(item => !isOpen(item)).toSorted((a, b) => rank(a) - rank(b))
  const open = items.filter(isOpen)
  return (
    <>
      {shown.length > 0 && (
        <Table caption="Certificates" columns={COLUMNS} rows={shown} keyOf={({ host }) => host} />
      )}
      {items.length === 0 && <p class="muted">No server has a name.</p>}
      {open.length > 0 && (
        <p class="certificates-open muted wrap">
          {open.length === 1 ? open[0]!.host : counted(open.length, shown.length > 0 ? 'other name' : 'name')}{' '}
          {open.length === 1 ? 'gets its certificate' : 'get their certificates'} from the local authority at
          the first HTTPS connection.
        </p>
      )}
      {authority && <Authority authority={authority} />}
    </>
  )
}

/** Problems come first. */
function rank({ problem }: HostCertificate): number {
  return problem === null ? 1 : 0
}

function Authority({ authority }: { authority: Certificate }) {
  return (
    <section class="certificate-authority" aria-labelledby="authority">
      <h3 id="authority">Local authority</h3>
      <p class="wrap">
        <Text value={authority.subject} max={200} />
        <span class="muted">
          , expires <Expiry at={authority.notAfter} />
        </span>
      </p>
      <Fingerprint of={authority} what="the local authority" />
      <p class="muted">Clients on this machine accept its certificates once they trust it. To see how:</p>
      <Copyable text="mcp domains trust" what="the command" />
    </section>
  )
}

function Issuer({ certificate }: { certificate: Certificate | null }) {
  return certificate ? (
    <span class="wrap">
      <Text value={certificate.issuer} max={200} />
    </span>
  ) : (
    <>–</>
  )
}

function Expiry({ at }: { at: string }) {
  const note = expiryNote(at)
  return (
    <>
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {new Date(at).toLocaleDateString()}
      </time>{' '}
      {note && <Tag tone={note.isExpired ? 'failed' : 'warn'}>{note.text}</Tag>}
    </>
  )
}

/** Shows only the first bytes, which tell certificates apart. The button copies the whole fingerprint. */
function Fingerprint({ of: { fingerprint }, what }: { of: Certificate; what: string }) {
  return (
    <span class="certificate-fingerprint">
      <code title={fingerprint}>{fingerprint.slice(0, 23)}…</code>
      <CopyButton text={fingerprint} what={`the fingerprint of ${what}`} />
    </span>
  )
}
