import type { Page } from 'playwright-core'

/** A view of the console with the servers of `deployExamples`. */
export interface View {
  /** Also the name of its screenshots. */
  name: string
  path: string
  /** Text that is shown once the view has loaded. */
  text: string | RegExp
  /** Link or list at the path that opens the view with the keyboard alone. */
  open?: { role: 'link' | 'listbox'; name: string | RegExp }
}

const WEATHER = '/servers/weather'
const ENV = 'env=production'

/** Every view. A new view needs an entry here for its screenshots and the keyboard tests. */
export const VIEWS: readonly View[] = [
  { name: 'servers', path: '/', text: 'team-notes' },
  { name: 'overview', path: `${WEATHER}?${ENV}`, text: 'Instances' },
  {
    name: 'playground',
    path: `${WEATHER}/playground?${ENV}&kind=tool&name=current_weather`,
    text: 'current_weather',
  },
  { name: 'requests', path: `${WEATHER}/requests?${ENV}`, text: 'forecast' },
  {
    name: 'request',
    path: `${WEATHER}/requests?${ENV}`,
    open: { role: 'listbox', name: 'Requests' },
    text: 'Arguments',
  },
  { name: 'logs', path: `${WEATHER}/logs?${ENV}`, text: /forecast/ },
  { name: 'releases', path: `${WEATHER}/releases?${ENV}`, text: 'Roll back' },
  { name: 'tests', path: `${WEATHER}/tests?${ENV}`, text: 'greetings' },
  {
    name: 'run',
    path: `${WEATHER}/tests?${ENV}`,
    open: { role: 'link', name: /^greetings/ },
    text: 'All runs',
  },
  { name: 'settings', path: `${WEATHER}/settings?${ENV}`, text: /variable/ },
  { name: 'sign-in', path: `/servers/team-notes/settings?${ENV}`, text: 'Grants' },
  { name: 'builds', path: '/builds', text: 'crm' },
  {
    name: 'build',
    path: '/builds?server=weather',
    open: { role: 'link', name: /^weather/ },
    text: 'All builds',
  },
  { name: 'container-builds', path: '/builds?kind=containers', text: 'succeeded' },
  {
    name: 'container-build',
    path: '/builds?kind=containers',
    open: { role: 'link', name: /^parrot/ },
    text: /^built /,
  },
  { name: 'chat', path: '/chat', text: 'Earlier chats' },
  { name: 'conversation', path: '/chat', open: { role: 'link', name: /Oslo/ }, text: 'It is cold in Oslo.' },
  { name: 'projects', path: '/projects', text: /dice/ },
  { name: 'domains', path: '/domains', text: /weather/ },
  { name: 'system', path: '/system', text: /^mcp_/ },
  { name: 'keys', path: '/keys', text: 'this browser' },
]

/** Opens the view from its path and waits until it has loaded. */
export async function showView(page: Page, { open, text }: Omit<View, 'name'>): Promise<void> {
  if (open) {
    const start = page.getByRole(open.role, { name: open.name }).first()
    await start.press(open.role === 'link' ? 'Enter' : 'ArrowDown')
  }
  await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
}
