/** Headless browser of a user: cookies per host, redirects, forms. */
export interface Browser {
  /** Follows redirects to a page, or to a URL that `isEnd` accepts. */
  open(url: string, isEnd?: (url: string) => boolean): Promise<Page>
  /** Submits the form on a page, as if the user clicked `button`. */
  submit(page: Page, button?: Record<string, string>, isEnd?: (url: string) => boolean): Promise<Page>
  cookies: Map<string, Map<string, string>>
}

export interface Page {
  url: string
  status: number
  headers: Headers
  /** Empty when `isEnd` accepted the URL. */
  text: string
}

export function createBrowser(): Browser {
  const cookies = new Map<string, Map<string, string>>()
  const visit = (url: string, init: RequestInit, isEnd: (url: string) => boolean) =>
    follow(cookies, url, init, isEnd)
  return {
    cookies,
    open: (url, isEnd = () => false) => visit(url, {}, isEnd),
    submit(page, button = {}, isEnd = () => false) {
      const { action, fields } = readForm(page)
      const body = new URLSearchParams({ ...fields, ...button })
      return visit(action, { method: 'POST', body, headers: { origin: originSent(page) } }, isEnd)
    },
  }
}

/** Origin that a browser would send (https://fetch.spec.whatwg.org/#append-a-request-origin-header). */
function originSent({ url, headers }: Page): string {
  return headers.get('referrer-policy') === 'no-referrer' ? 'null' : new URL(url).origin
}

async function follow(
  jar: Map<string, Map<string, string>>,
  url: string,
  init: RequestInit,
  isEnd: (url: string) => boolean,
): Promise<Page> {
  if (isEnd(url)) return { url, status: 0, headers: new Headers(), text: '' }
  const { host } = new URL(url)
  const own = jar.get(host) ?? new Map<string, string>()
  jar.set(host, own)
  const headers = new Headers(init.headers)
  if (own.size > 0) headers.set('cookie', [...own].map(([name, value]) => `${name}=${value}`).join('; '))
  const response = await fetch(url, { ...init, headers, redirect: 'manual' })
  for (const cookie of response.headers.getSetCookie()) keep(own, cookie)
  const location = response.headers.get('location')
  const text = await response.text()
  if (location === null) return { url, status: response.status, headers: response.headers, text }
  return follow(jar, new URL(location, url).href, {}, isEnd)
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split(';')
  const [name = '', ...value] = pair.split('=')
  const isOver = attributes.some(attribute => /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute))
  if (isOver) jar.delete(name.trim())
  else jar.set(name.trim(), value.join('='))
}

function readForm({ url, text }: Page): { action: string; fields: Record<string, string> } {
  const action = /<form[^>]*action="([^"]*)"/.exec(text)?.[1]
  if (action === undefined) throw new Error(`There is no form at ${url}:\n${text}`)
  const inputs = [...text.matchAll(/<input[^>]*>/g)].map(([tag]) => [
    attribute(tag, 'name'),
    attribute(tag, 'value'),
  ])
  return { action: new URL(unescapeText(action), url).href, fields: Object.fromEntries(inputs) }
}

function attribute(tag: string, name: string): string {
  return unescapeText(new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

function unescapeText(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
