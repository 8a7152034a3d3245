import './app.css'
import { useEffect, useRef } from 'preact/hooks'
import { connection, refusal } from './api/feed.ts'
import { CommandBar } from './commands/command-bar.tsx'
import { Button } from './components/button.tsx'
import { DialogOutlet } from './components/dialog-outlet.tsx'
import { Icon } from './components/icon.tsx'
import { lazyView } from './components/lazy-view.tsx'
import { Problem } from './components/loaded.tsx'
import { Notices } from './components/notices.tsx'
import { State } from './components/state.tsx'
import { Link } from './router/link.tsx'
import { matchPath } from './router/match-path.ts'
import { path } from './router/router.ts'
import { useCurrentInView } from './router/use-current-in-view.ts'
import { SignOut } from './sign-out.tsx'
import { otherTheme, switchTheme } from './theme.ts'
import { NotFound } from './views/not-found.tsx'
import type { ServerTab } from './views/paths.ts'
import { matchServerTab } from './views/server/server-tabs.ts'
import { ServersView } from './views/servers/servers-view.tsx'
import { SignedOut } from './views/signed-out.tsx'

const ServerView = lazyView<{ name: string; tab: ServerTab }>('the server', async () =>
  import('./views/lazy-views.ts').then(({ ServerView }) => ServerView),
)

const BuildsView = lazyView<{ id?: string }>('the builds', async () =>
  import('./views/lazy-views.ts').then(({ BuildsView }) => BuildsView),
)

const KeysView = lazyView('the keys', async () =>
  import('./views/lazy-views.ts').then(({ KeysView }) => KeysView),
)

const ProjectsView = lazyView('the projects', async () =>
  import('./views/lazy-views.ts').then(({ ProjectsView }) => ProjectsView),
)

const DomainsView = lazyView('the domains', async () =>
  import('./views/lazy-views.ts').then(({ DomainsView }) => DomainsView),
)

const ChatView = lazyView<{ id: string | undefined }>('the chats', async () =>
  import('./views/lazy-views.ts').then(({ ChatView }) => ChatView),
)

const SystemView = lazyView('the system', async () =>
  import('./views/lazy-views.ts').then(({ SystemView }) => SystemView),
)

export function App() {
  return (
    <>
      <a class="button skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <div>
          <Link to="/" class="home">
            <span class="mark">
              <Icon name="start" />
            </span>
            mcp
          </Link>
          <Navigation />
          <ConnectionState />
          <CommandBar views={NAVIGATION} />
          <ThemeSwitch />
          {connection.value !== 'refused' && <SignOut />}
        </div>
      </header>
      <Content />
      <DialogOutlet />
      <Notices />
    </>
  )
}

/** Views of the main navigation, in order. */
const NAVIGATION = [
  ['/', 'Servers'],
  ['/projects', 'Projects'],
  ['/builds', 'Builds'],
  ['/chat', 'Chat'],
  ['/domains', 'Domains'],
  ['/keys', 'Keys'],
  ['/system', 'System'],
] as const

function Navigation() {
  return (
    <nav aria-label="Main" ref={useCurrentInView()}>
      {NAVIGATION.map(([to, title]) => (
        <Link key={to} to={to} aria-current={currentOf(to)}>
          {title}
        </Link>
      ))}
    </nav>
  )
}

/** Value of `aria-current`: `page` for the view itself, `true` for a page below the view. */
function currentOf(to: string): 'page' | 'true' | undefined {
  if (path.value === to) return 'page'
  const isPart = to === '/' ? path.value.startsWith('/servers/') : path.value.startsWith(`${to}/`)
  return isPart ? 'true' : undefined
}

/**
 * A new view gets the focus, so that screen readers and the keyboard start at its top. A text area that remains on the page keeps
 * the focus, because the user may be typing.
 */
function Content() {
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path.value)
  useEffect(() => {
    if (lastPath.current === path.value) return
    lastPath.current = path.value
    if (!main.current!.querySelector('textarea:focus')) main.current!.focus({ preventScroll: true })
  }, [path.value])
  return (
    <main id="content" class="page" ref={main} tabIndex={-1}>
      <Route />
    </main>
  )
}

function Route() {
  if (refusal.value?.code === 'UNAUTHORIZED') return <SignedOut />
  if (refusal.value) return <NoAccess error={refusal.value} />
  if (path.value === '/') return <ServersView />
  if (path.value === '/projects') return <ProjectsView />
  if (path.value === '/domains') return <DomainsView />
  if (path.value === '/keys') return <KeysView />
  if (path.value === '/system') return <SystemView />
  if (path.value === '/builds') return <BuildsView />
  const build = matchPath('/builds/:id', path.value)
  if (build) return <BuildsView id={build.id!} />
  const chat = matchPath('/chat/:id', path.value)
  if (chat || path.value === '/chat') return <ChatView id={chat?.id} />
  const server = matchServerTab(path.value)
  if (server) return <ServerView {...server} />
  return <NotFound />
}

function NoAccess({ error }: { error: Error }) {
  return (
    <div class="empty">
      <h1>The API refused access</h1>
      <Problem error={error} />
    </div>
  )
}

function ConnectionState() {
  const isLost = connection.value === 'reconnecting'
  return (
    <span role="status" title={isLost ? 'This page may be out of date.' : undefined}>
      {isLost && <State value="reconnecting" />}
    </span>
  )
}

function ThemeSwitch() {
  const other = otherTheme.value
  return (
    <Button
      kind="quiet"
      icon={other === 'dark' ? 'moon' : 'sun'}
      label={`Switch to the ${other} theme`}
      onClick={switchTheme}
    />
  )
}
