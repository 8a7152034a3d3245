import './server.css'
import '../../styles/tabs.css'
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import { lazyView } from '../../components/lazy-view.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { shown } from '../../components/text.tsx'
import { isDeclared, loadServers, type Server, servers, serversError } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { query } from '../../router/router.ts'
import { useCurrentInView } from '../../router/use-current-in-view.ts'
import { useTitle } from '../../router/use-title.ts'
import { BuildFailure } from '../builds/build-failure.tsx'
import { DeployButton } from '../deploy/deploy-button.tsx'
import { EditDefinitionButton } from '../deploy/edit-definition-button.tsx'
import { DeploymentActions } from '../deployment-actions.tsx'
import { DeploymentState } from '../deployment-state.tsx'
import { type ServerTab, serverPath } from '../paths.ts'
import { LogsTab } from './logs/logs-tab.tsx'
import { NotDeployed } from './not-deployed.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { ReleasesTab } from './releases/releases-tab.tsx'
import { RequestsTab } from './requests/requests-tab.tsx'
import { SERVER_TABS } from './server-tabs.ts'
import { SettingsTab } from './settings/settings-tab.tsx'
import type { PlaceProps, TabProps } from './tab-props.ts'
import { TestsTab } from './tests/tests-tab.tsx'

interface Content {
  view: FunctionComponent<TabProps>
  /** Set if the tab also shows the preview, which has no deployment. */
  preview?: FunctionComponent<PlaceProps>
}

const Playground = lazyView<PlaceProps>('the playground', async () =>
  import('./playground/playground-view.tsx').then(({ PlaygroundView }) => PlaygroundView),
)

const CONTENTS: Record<ServerTab, Content> = {
  '': { view: OverviewTab },
  '/playground': { view: Playground, preview: Playground },
  '/requests': { view: RequestsTab, preview: RequestsTab },
  '/logs': { view: LogsTab },
  '/releases': { view: ReleasesTab },
  '/tests': { view: TestsTab, preview: TestsTab },
  '/settings': { view: SettingsTab },
}

interface ServerViewProps {
  name: string
  tab: ServerTab
}

export function ServerView({ name, tab }: ServerViewProps) {
  useTitle(`${shown(name, 100)}, ${new Map<string, string>(SERVER_TABS).get(tab)}`)
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

function KnownServer({ name, tab, server }: { name: string; tab: ServerTab; server: Server | undefined }) {
  if (!server) return <UnknownServer name={name} />
  const wanted = query.value.get('env')
  const deployment =
    server.deployments.find(({ environment }) => environment === wanted) ?? server.deployments[0]
  const { view: View, preview } = CONTENTS[tab]
  if (preview && (wanted === 'preview' || !deployment))
    return <Preview server={server} tab={tab} view={preview} />
  if (!deployment) return <NotDeployed server={server} />
  const { environment } = deployment
  return (
    <>
      <div class="page-head">
        <h1>{name}</h1>
        <DeploymentState deployment={deployment} />
        <DeploymentActions key={deployment.deployment_id} deployment={deployment} />
        {isDeclared(server) && (
          <EditDefinitionButton name={name} mcpId={deployment.mcp_id} environment={environment} />
        )}
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
        {server.build?.status === 'ready' && (
          <DeployButton target={{ name: server.name, mcpId: server.build.mcp_id }}>Deploy</DeployButton>
        )}
        {server.build?.status === 'ready' && isDeclared(server) && (
          <EditDefinitionButton name={server.name} mcpId={server.build.mcp_id} environment="development" />
        )}
      </div>
      <Navigation server={server} tab={tab} current="preview" />
      {server.build?.status === 'failed' ? (
        <BuildFailure build={server.build} />
      ) : (
        <View key={`${server.name} preview`} name={server.name} environment="preview" build={server.build} />
      )}
    </>
  )
}

interface ViewProps {
  server: Server
  tab: ServerTab
}

function Navigation({ server, tab, current }: ViewProps & { current: StoreEnvironment }) {
  const entry = useLastEntry(tab, `${current} ${server.name}`)
  return (
    <div class="tab-bar">
      <nav class="tabs" aria-label="Views of the server" ref={useCurrentInView()}>
        {SERVER_TABS.map(([path, title]) => (
          <Link
            key={path}
            to={serverPath(
              server.name,
              path,
              hasPlace(path, current) ? current : undefined,
              path === '/playground' ? entry : undefined,
            )}
            aria-current={path === tab ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <Environments server={server} tab={tab} current={current} />
    </div>
  )
}

/** Query of the entry that each playground showed last, by environment and server. */
const lastEntries = new Map<string, Record<string, string>>()

/** Query of the entry that the playground showed last, for the link from another tab back to it. */
function useLastEntry(tab: ServerTab, key: string): Record<string, string> | undefined {
  const [kind, name] = [query.value.get('kind'), query.value.get('name')]
  useEffect(() => {
    if (tab !== '/playground') return
    if (kind && name) lastEntries.set(key, { kind, name })
    else lastEntries.delete(key)
  }, [tab, key, kind, name])
  return tab === '/playground' ? undefined : lastEntries.get(key)
}

/** True if a tab can show the environment. Only some tabs can show the preview. */
function hasPlace(tab: ServerTab, environment: StoreEnvironment): boolean {
  return environment !== 'preview' || CONTENTS[tab].preview !== undefined
}

function Environments({ server, tab, current }: ViewProps & { current: StoreEnvironment }) {
  const environments: StoreEnvironment[] = server.deployments.map(({ environment }) => environment)
  if (server.build && hasPlace(tab, 'preview')) environments.push('preview')
  if (environments.length === 1) return <p class="environment">{current}</p>
  return (
    <nav class="segments" aria-label="Environment">
      {environments.map(environment => (
        <Link
          key={environment}
          to={serverPath(server.name, tab, environment)}
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
