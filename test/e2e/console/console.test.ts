// One file for all tests of the console. A browser, its first page and the first check of accessibility take three seconds of
// processor time. Run some of them with the name of their group: npx vitest run test/e2e/console -t playground
import { useBrowser } from './browser.ts'
import './access.ts'
import './builds.ts'
import './chat.ts'
import './deploy.ts'
import './domains.ts'
import './hostile-server.ts'
import './keyboard.ts'
import './playground.ts'
import './projects.ts'
import './releases.ts'
import './remote.ts'
import './requests.ts'
import './schema-form.ts'
import './server-tabs.ts'
import './servers.ts'
import './settings.ts'
import './session.ts'
import './system.ts'
import './tests.ts'

useBrowser()
