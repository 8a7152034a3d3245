import type { Environment } from '../../../../shared/contract/states.ts'
import { Button } from '../../../components/button.tsx'
import { MappedSubdomains } from '../../domains/mapped-subdomains.tsx'
import { ServerNames } from '../../domains/server-names.tsx'

interface ServerDomainsProps {
  server: string
  environment: Environment
}

/** Names of the server in all environments. */
export function ServerDomains({ server, environment }: ServerDomainsProps) {
  return (
    <>
      <section class="section" aria-labelledby="domains">
        <MappedSubdomains
          place={{ server, environment }}
          head={onMap => (
            <div class="section-head">
              <h2 id="domains">Domains</h2>
              {onMap && (
                <Button icon="add" onClick={onMap}>
                  Map a subdomain
                </Button>
              )}
            </div>
          )}
          empty={<p class="muted">No subdomain is mapped to this server.</p>}
        />
      </section>
      <ServerNames server={server} />
    </>
  )
}
