import { extname, join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { HostingError } from '../../shared/errors.ts'
import type { AppFrames } from './app-frames.ts'
import type { ApiContext, Bindings } from './endpoint.ts'
import { forEncoding, readCompressed } from './gzip.ts'
import { digest, matchesEtag } from './middleware/etags.ts'

/** Path of the console. Paths below it return the page or one of its assets. */
export const CONSOLE_PATH = '/console/'
const ASSETS = `${CONSOLE_PATH}assets/`

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Names of servers, logs and results may be hostile. If such text became markup, it could still neither run nor load anything.
 * Images and audio in results are blobs that the page creates.
 */
export const CONSOLE_POLICY =
  "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const PAGE_HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The web console (docs/console.md). It uses the API like any other client, so the page itself needs no key. */
export function consolePage(folder: string, appFrames: AppFrames): MiddlewareHandler<Bindings> {
  return async context => {
    const { path } = context.req
    if (path === '/console') return context.redirect(CONSOLE_PATH, 308)
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value)
    context.header('Content-Security-Policy', CONSOLE_POLICY)
    if (path.startsWith(ASSETS)) return answerAsset(context, folder, path.slice(ASSETS.length))
    const frames = await appFrames.origin()
    if (frames) context.header('Content-Security-Policy', `${CONSOLE_POLICY}; frame-src ${frames}`)
    return answer(context, await readCompressed(folder, 'index.html'), {
      type: 'text/html; charset=utf-8',
      caching: 'no-cache',
    })
  }
}

/** The content of an asset never changes, because its name contains a hash. */
async function answerAsset(context: ApiContext, folder: string, name: string): Promise<Response> {
  const type = TYPES[extname(name)]
  if (!/^[\w-]+\.\w+$/.test(name) || type === undefined) throw missing(context.req.path)
  const file = await readCompressed(join(folder, 'assets'), name)
  return answer(context, file, { type, caching: 'public, max-age=31536000, immutable' })
}

async function answer(
  context: ApiContext,
  file: Buffer | undefined,
  { type, caching }: { type: string; caching: string },
): Promise<Response> {
  if (!file) throw missing(context.req.path)
  // The tag is weak, because it is the same for both encodings.
  const etag = `W/"${digest(file)}"`
  context.header('ETag', etag)
  context.header('Vary', 'Accept-Encoding')
  context.header('Cache-Control', caching)
  if (matchesEtag(context.req.header('if-none-match'), etag)) return context.body(null, 304)
  const { bytes, headers } = await forEncoding(file, context.req.header('accept-encoding'))
  return context.body(bytes as Uint8Array<ArrayBuffer>, 200, { 'Content-Type': type, ...headers })
}

function missing(path: string): HostingError {
  return new HostingError('NOT_FOUND', `There is no ${path}.`, {
    details: 'After an update of mcp-hosting, reload the page.',
  })
}
