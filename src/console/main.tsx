import './styles/tokens.css'
import './styles/base.css'
import { render } from 'preact'
import { startFeed } from './api/feed.ts'
import { App } from './app.tsx'
import { keepServersCurrent } from './model/servers.ts'
import { startRouter } from './router/router.ts'
import { startTheme } from './theme.ts'

startTheme()
startRouter()
keepServersCurrent()
startFeed()
render(<App />, document.getElementById('root')!)
