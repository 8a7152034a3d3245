import type {
  CallToolResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Tool,
} from '@modelcontextprotocol/client'
import type { AppBridge, McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge'
import { effect } from '@preact/signals'
import { HostingError } from '../../../../../shared/errors.ts'
import { CLIENT } from '../../../../mcp/protocol.ts'
import { theme } from '../../../../theme.ts'
import type { Call } from '../call.ts'
import type { AppSession, LoadedApp } from './app-session.ts'
import { FrameTransport } from './frame-transport.ts'

/** The frame sends its ready message while it loads, so the message arrives at most slightly after the load event. */
const READY_AFTER_MS = 2000
/** An app that hangs never answers. */
const SAVE_TIMEOUT_MS = 2000

const CAPABILITIES = {
  openLinks: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
}

/** Connects an app in its frame with its session, until the session stops. */
export function connectApp(
  session: AppSession,
  { source, frames, Bridge }: LoadedApp,
  frame: HTMLIFrameElement,
): void {
  const bridge = new Bridge(null, CLIENT, CAPABILITIES, { hostContext: contextOf(session.call) })
  const fail = (sentence: string, details: string) =>
    session.stop(new HostingError('UPSTREAM_FAILED', sentence, { details }))
  const onFault = (sentence: string) => fail(`${sentence} It was stopped.`, 'Start it again, or fix the app.')
  const stops = [requireFrame(frame, bridge, () => session.stop(unreachable(frames))), watchPolicy(fail)]
  bridge.addEventListener('sandboxready', () => void bridge.sendSandboxResourceReady({ html: source.html }))
  bridge.addEventListener('sizechange', ({ height }) => session.resize(height))
  bridge.addEventListener('loggingmessage', ({ level, data }) => session.report('log', { level, data }))
  bridge.addEventListener('requestteardown', () => void session.end())
  session.prepareStop = () => bridge.teardownResource({}, { timeout: SAVE_TIMEOUT_MS })
  answerRequests(bridge, session)
  bridge.oninitialized = () => {
    bridge.oninitialized = undefined
    stops.push(...follow(bridge, session.call))
  }
  session.stopped.addEventListener('abort', () => {
    for (const stop of stops) stop()
    void bridge.close()
  })
  void bridge.connect(new FrameTransport(frame.contentWindow!, { origin: frames, onFault }))
}

function answerRequests(bridge: AppBridge, session: AppSession): void {
  bridge.oncalltool = async ({ name, arguments: args = {} }) =>
    (await session.callTool(name, args)) as CallToolResult
  bridge.onreadresource = async ({ uri }) => (await session.readResource(uri)) as ReadResourceResult
  bridge.onlistresources = async params =>
    (await session.list('resources/list', params)) as ListResourcesResult
  bridge.onlistresourcetemplates = async params =>
    (await session.list('resources/templates/list', params)) as ListResourceTemplatesResult
  bridge.onlistprompts = async params => (await session.list('prompts/list', params)) as ListPromptsResult
  bridge.onopenlink = async ({ url }) => ((await session.openLink(url)) ? {} : { isError: true })
  bridge.onrequestdisplaymode = async () => ({ mode: 'inline' })
  bridge.onmessage = async ({ content }) => {
    session.report('message', content)
    return {}
  }
  bridge.onupdatemodelcontext = async context => {
    session.report('model context', context)
    return {}
  }
}

/** Sends arguments, result and theme to an app that is ready. Returns functions that stop this. */
function follow(bridge: AppBridge, { args, outcome }: Call): (() => void)[] {
  void bridge.sendToolInput({ arguments: args })
  return [
    effect(() => {
      const { value } = outcome
      if (value.status === 'answered') void bridge.sendToolResult(value.result as CallToolResult)
      if (value.status === 'failed') void bridge.sendToolCancelled({ reason: value.error.message })
      if (value.status === 'cancelled')
        void bridge.sendToolCancelled({ reason: 'The user cancelled the call.' })
    }),
    effect(() => bridge.setHostContext({ ...contextBase(), theme: theme.value })),
  ]
}

function contextOf({ entry }: Call): McpUiHostContext {
  return { ...contextBase(), theme: theme.peek(), toolInfo: { tool: entry.source as Tool } }
}

function contextBase(): McpUiHostContext {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return { displayMode: 'inline', availableDisplayModes: ['inline'], platform: 'web', locale, timeZone }
}

/** Calls `onMissing` if the frame loads a page other than the daemon's, such as the browser's error page. */
function requireFrame(frame: HTMLIFrameElement, bridge: AppBridge, onMissing: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReady = false
  bridge.addEventListener('sandboxready', () => {
    isReady = true
    clearTimeout(timer)
  })
  frame.addEventListener('load', () => {
    if (!isReady) timer = setTimeout(onMissing, READY_AFTER_MS)
  })
  return () => clearTimeout(timer)
}

function unreachable(frames: string): HostingError {
  const { host, port } = new URL(frames)
  return new HostingError('UNAVAILABLE', `The app cannot be shown. The browser cannot reach ${host}.`, {
    details: `The daemon serves apps on a separate port. If you forward the daemon's port from another machine, forward port ${port} as well, to the same number.`,
  })
}

/** Detects a restart of the daemon, after which its port for apps is not the one in the page's policy. */
function watchPolicy(fail: (sentence: string, details: string) => void): () => void {
  const report = ({ effectiveDirective }: SecurityPolicyViolationEvent) => {
    if (effectiveDirective === 'frame-src')
      fail('The app cannot be shown. The daemon was restarted.', 'Reload the page.')
  }
  document.addEventListener('securitypolicyviolation', report)
  return () => document.removeEventListener('securitypolicyviolation', report)
}
