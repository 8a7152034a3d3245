import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { useTitle } from '../../router/use-title.ts'
import { Certificates } from './certificates.tsx'
import { MappedSubdomains } from './mapped-subdomains.tsx'
import { ServerNames } from './server-names.tsx'

/** Subdomains that lead to servers, the names that servers have without a mapping, and certificates of both. */
export function DomainsView() {
  useTitle('Domains')
  return (
    <>
      <MappedSubdomains
        head={onMap => (
          <div class="page-head">
            <h1>Domains</h1>
            {onMap && (
              <Button kind="primary" onClick={onMap}>
                Map a subdomain
              </Button>
            )}
          </div>
        )}
        empty={<NoMappings />}
      />
      <ServerNames />
      <Certificates />
    </>
  )
}

function NoMappings() {
  return (
    <div class="empty">
      <h2>No subdomain is mapped</h2>
      <p>
        A mapped subdomain is another name for a server. It follows the releases of the environment that it
        points to. To map one from a terminal:
      </p>
      <Copyable text="mcp domains add team weather" what="the command" />
    </div>
  )
}
