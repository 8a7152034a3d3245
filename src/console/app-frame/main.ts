import './frame.css'
import { MAX_MESSAGE_CHARACTERS, PROXY_READY, RESOURCE_READY, SANDBOX_PREFIX, TOO_LARGE } from './messages.ts'

/**
 * Page around an MCP App, on its own origin. It passes messages between the console and the app, whose document has an
 * opaque origin. The policy of this page (`src/shared/app-policy.ts`) also applies to the app.
 */

/** Allows scripts and form events, but no origin, windows, dialogs, downloads, or navigation of other frames. */
const SANDBOX = 'allow-scripts allow-forms'

let app: HTMLIFrameElement | undefined

addEventListener('message', ({ source, data }) => {
  if (source === parent) fromConsole(String(data))
  else if (app && source === app.contentWindow) fromApp(data)
})
send(JSON.stringify({ jsonrpc: '2.0', method: PROXY_READY, params: {} }))

function fromConsole(text: string): void {
  const message = JSON.parse(text)
  if (message.method === RESOURCE_READY) show(message.params.html)
  // The target origin cannot name an opaque origin.
  else app?.contentWindow?.postMessage(message, '*')
}

function show(html: string): void {
  app?.remove()
  app = document.createElement('iframe')
  app.title = document.title
  app.setAttribute('sandbox', SANDBOX)
  app.srcdoc = html
  document.body.append(app)
}

/** Passes a message on as text, which is cheap to measure. The console does not decode objects from another frame. */
function fromApp(data: unknown): void {
  const text = JSON.stringify(data)
  if (text === undefined || isForThisPage(data)) return
  if (text.length <= MAX_MESSAGE_CHARACTERS) send(text)
  else send(JSON.stringify({ jsonrpc: '2.0', method: TOO_LARGE, params: { size: text.length } }))
}

/** True for messages that only this page may send. */
function isForThisPage(data: unknown): boolean {
  const { method } = (data ?? {}) as { method?: unknown }
  return typeof method === 'string' && method.startsWith(SANDBOX_PREFIX)
}

/** `frame-ancestors` of the page's policy ensures that the parent is the console. The console's port may be forwarded. */
function send(text: string): void {
  parent.postMessage(text, '*')
}
