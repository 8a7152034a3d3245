import './builds.css'
import '../../styles/tabs.css'
import { Button } from '../../components/button.tsx'
import { dialogInQuery } from '../../router/dialog-in-query.ts'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { ContainerBuildList } from './container-build-list.tsx'
import { ContainerBuildView } from './container-build-view.tsx'
import { ServerBuildList } from './server-build-list.tsx'
import { ServerBuildView } from './server-build-view.tsx'
import { StartBuildDialog } from './start-build-dialog.tsx'

/** Builds of servers and container builds of projects. The id of the open build is part of the URL. */
export function BuildsView({ id }: { id?: string }) {
  if (id === undefined) return <BuildLists />
  return id.startsWith('mcp_') ? (
    <ServerBuildView key={id} id={id} />
  ) : (
    <ContainerBuildView key={id} id={id} />
  )
}

function BuildLists() {
  useTitle('Builds')
  const dialog = dialogInQuery('start')
  const isContainers = query.value.get('kind') === 'containers'
  return (
    <>
      <div class="page-head">
        <h1>Builds</h1>
        {isContainers && (
          <Button kind="primary" onClick={dialog.open}>
            Start a build
          </Button>
        )}
      </div>
      <div class="tab-bar">
        <nav class="tabs" aria-label="Kind of build">
          <Link to="/builds" aria-current={isContainers ? undefined : 'page'}>
            Servers
          </Link>
          <Link to="/builds?kind=containers" aria-current={isContainers ? 'page' : undefined}>
            Containers
          </Link>
        </nav>
      </div>
      {isContainers ? <ContainerBuildList /> : <ServerBuildList />}
      {isContainers && dialog.isOpen && <StartBuildDialog onClose={dialog.close} />}
    </>
  )
}
