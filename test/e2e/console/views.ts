import type { Page } from 'playwright-core'

/** A view of the console with the servers of `deployExamples`. */
export interface View {
  /** Also the name of its pictures. */
  name: string
  path: string
  /** Text that is shown once the view has loaded. */
  text: string | RegExp
}

const WEATHER = '/servers/weather'
const ENV = 'env=production'

/** Every view. A new view needs an entry here for its pictures and the walk by keyboard. */
export const VIEWS: readonly View[] = [
  { name: 'servers', path: '/', text: 'team-notes' },
  { name: 'overview', path: `${WEATHER}?${ENV}`, text: 'Instances' },
  {
    name: 'playground',
    path: `${WEATHER}/playground?${ENV}&kind=tool&name=current_weather`,
    text: 'current_weather',
  },
  { name: 'requests', path: `${WEATHER}/requests?${ENV}`, text: 'forecast' },
  { name: 'logs', path: `${WEATHER}/logs?${ENV}`, text: /forecast/ },
  { name: 'releases', path: `${WEATHER}/releases?${ENV}`, text: 'Roll back' },
  { name: 'tests', path: `${WEATHER}/tests?${ENV}`, text: /run/ },
  { name: 'settings', path: `${WEATHER}/settings?${ENV}`, text: /variable/ },
  { name: 'sign-in', path: `/servers/team-notes/settings?${ENV}`, text: 'Grants' },
  { name: 'builds', path: '/builds', text: 'crm' },
  { name: 'chat', path: '/chat', text: 'Earlier chats' },
  { name: 'projects', path: '/projects', text: /dice/ },
  { name: 'domains', path: '/domains', text: /weather/ },
  { name: 'system', path: '/system', text: /^mcp_/ },
  { name: 'keys', path: '/keys', text: 'this browser' },
]

/** Waits until the view has loaded. */
export async function waitForView(page: Page, { text }: View): Promise<void> {
  await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
}
