import './server.css'
import '../../styles/tabs.css'
import type { FunctionComponent } from 'preact'
import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import { lazyView } from '../../components/lazy-view.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { shown } from '../../components/text.tsx'
import { loadServers, type Server, servers, serversError } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { useTitle } from '../../router/use-title.ts'
import { DeploymentActions } from '../deployment-actions.tsx'
import { DeploymentState } from '../deployment-state.tsx'
import { type ServerTab, serverPath } from '../paths.ts'
import { LogsTab } from './logs/logs-tab.tsx'
import { NotDeployed } from './not-deployed.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { ReleasesTab } from './releases/releases-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import type { PlaceProps, TabProps } from './tab-props.ts'

interface Tab {
  path: ServerTab
  title: string
  view: FunctionComponent<TabProps>
  /** Set if the tab also shows the preview, which has no deployment. */
  preview?: FunctionComponent<PlaceProps>
}

const Playground = lazyView<PlaceProps>('the playground', async () =>
  import('./playground/playground-view.tsx').then(({ PlaygroundView }) => PlaygroundView),
)

const RequestsTab = lazyView<PlaceProps>('the requests', async () =>
  import('../lazy-views.ts').then(({ RequestsTab }) => RequestsTab),
)

const TestsTab = lazyView<PlaceProps>('the tests', async () =>
  import('../lazy-views.ts').then(({ TestsTab }) => TestsTab),
)

export const TABS: readonly Tab[] = [
  { path: '', title: 'Overview', view: OverviewTab },
  { path: '/playground', title: 'Playground', view: Playground, preview: Playground },
  { path: '/requests', title: 'Requests', view: RequestsTab, preview: RequestsTab },
  { path: '/logs', title: 'Logs', view: LogsTab },
  { path: '/releases', title: 'Releases', view: ReleasesTab },
  { path: '/tests', title: 'Tests', view: TestsTab, preview: TestsTab },
  { path: '/settings', title: 'Settings', view: SettingsTab },
]

export function ServerView({ name, tab }: { name: string; tab: Tab }) {
  useTitle(`${shown(name, 100)}, ${tab.title}`)
  const resource = { value: servers.value, error: serversError.value, reload: () => void loadServers() }
  return (
    <>
      {resource.value === undefined && <h1>{shown(name, 100)}</h1>}
      <Loaded resource={resource} what="the server">
        {all => <KnownServer name={name} tab={tab} server={all.get(name)} />}
      </Loaded>
    </>
  )
}

function KnownServer({ name, tab, server }: { name: string; tab: Tab; server: Server | undefined }) {
  if (!server) return <UnknownServer name={name} />
  const wanted = query.value.get('env')
  const deployment =
    server.deployments.find(({ environment }) => environment === wanted) ?? server.deployments[0]
  if (tab.preview && (wanted === 'preview' || !deployment))
    return <Preview server={server} tab={tab} view={tab.preview} />
  if (!deployment) return <NotDeployed name={name} />
  const { environment } = deployment
  const View = tab.view
  return (
    <>
      <div class="page-head">
        <h1>{name}</h1>
        <DeploymentState deployment={deployment} />
        <DeploymentActions key={deployment.deployment_id} deployment={deployment} />
      </div>
      <Navigation server={server} tab={tab} current={environment} />
      <View key={`${name} ${environment}`} name={name} environment={environment} deployment={deployment} />
    </>
  )
}

/** The newest build, before and after its deployment. */
function Preview({ server, tab, view: View }: ViewProps & { view: FunctionComponent<PlaceProps> }) {
  return (
    <>
      <div class="page-head">
        <h1>{server.name}</h1>
        {server.build && <State value={server.build.status} />}
      </div>
      <Navigation server={server} tab={tab} current="preview" />
      <View key={`${server.name} preview`} name={server.name} environment="preview" build={server.build} />
    </>
  )
}

interface ViewProps {
  server: Server
  tab: Tab
}

function Navigation({ server, tab, current }: ViewProps & { current: StoreEnvironment }) {
  return (
    <div class="tab-bar">
      <nav class="tabs" aria-label="Views of the server">
        {TABS.map(({ path, title, preview }) => (
          <Link
            key={path}
            to={serverPath(server.name, path, current === 'preview' && !preview ? undefined : current)}
            aria-current={path === tab.path ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <Environments server={server} tab={tab} current={current} />
    </div>
  )
}

function Environments({ server, tab, current }: ViewProps & { current: StoreEnvironment }) {
  const environments: StoreEnvironment[] = server.deployments.map(({ environment }) => environment)
  if (tab.preview && server.build) environments.push('preview')
  return (
    <nav class="segments" aria-label="Environment">
      {environments.map(environment => (
        <Link
          key={environment}
          to={serverPath(server.name, tab.path, environment)}
          aria-current={environment === current ? 'true' : undefined}
        >
          {environment}
        </Link>
      ))}
    </nav>
  )
}

function UnknownServer({ name }: { name: string }) {
  return (
    <div class="empty">
      <h1>There is no server “{shown(name, 100)}”</h1>
      <p>
        <Link to="/">Show all servers</Link>
      </p>
    </div>
  )
}
