import type { Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import {
  APP_ORIGIN_KINDS,
  type AppOrigins,
  appPolicy,
  isAppOrigin,
  MAX_APP_ORIGINS,
} from '../../shared/app-policy.ts'
import { APP_HOST, CONSOLE_HOST } from '../../shared/names.ts'
import { forEncoding, readCompressed } from './gzip.ts'
import { closeServer, listen } from './listen.ts'

/** Path of the page around an app. */
const APP_FRAME_PATH = '/frame'
const MAX_CONNECTIONS = 64

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // A page could leak data in the names that it makes the browser look up.
  'X-DNS-Prefetch-Control': 'off',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), display-capture=(), clipboard-read=(), clipboard-write=(), payment=(), usb=(), serial=(), hid=()',
}

/**
 * Serves the frames in which the console shows MCP Apps, on their own port and host. A page there belongs to a different site
 * than the console, so the browser does not send the console's cookie. Nothing else is served on this port.
 */
export class AppFrames {
  readonly #folder: string
  #listening: Promise<{ server: Server; port: number } | undefined> | undefined

  /** `folder` contains the built console. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Origin of the frames. The first call opens the port. Undefined if the port cannot be opened. */
  async origin(): Promise<string | undefined> {
    this.#listening ??= this.#listen().catch(() => undefined)
    const listening = await this.#listening
    return listening && `http://${APP_HOST}:${listening.port}`
  }

  async close(): Promise<void> {
    const listening = await this.#listening
    this.#listening = Promise.resolve(undefined)
    if (listening) await closeServer(listening.server, 0)
  }

  async #listen() {
    const app = new Hono()
    app.get(APP_FRAME_PATH, context => answer(context, this.#folder))
    app.notFound(context => context.text('This port only serves frames for the console.\n', 404))
    const listening = await listen(0, getRequestListener(app.fetch))
    listening.server.maxConnections = MAX_CONNECTIONS
    return listening
  }
}

async function answer(context: Context, folder: string): Promise<Response> {
  if (!isAppHost(context)) return context.text(`Use the host ${APP_HOST}.\n`, 403)
  // Outside a frame, the page could open windows and would look trustworthy.
  if (!['iframe', undefined].includes(context.req.header('sec-fetch-dest')))
    return context.text('This page is only shown in a frame of the console.\n', 403)
  const page = await readCompressed(folder, 'app-frame.html')
  if (!page) return context.text('The files of the console were updated. Reload the page.\n', 404)
  const { bytes, headers } = await forEncoding(page, context.req.header('accept-encoding'))
  return context.body(bytes as Uint8Array<ArrayBuffer>, 200, {
    ...HEADERS,
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': appPolicy(originsOf(context), CONSOLE_HOST),
  })
}

function isAppHost(context: Context): boolean {
  return context.req.header('host')?.toLowerCase().split(':')[0] === APP_HOST
}

/** Origins that the console put in the URL. Invalid ones are omitted. */
function originsOf(context: Context): AppOrigins {
  const allowed = APP_ORIGIN_KINDS.map(kind => {
    const given = context.req.queries(kind) ?? []
    return [kind, given.filter(isAppOrigin).slice(0, MAX_APP_ORIGINS)]
  })
  return Object.fromEntries(allowed)
}
