import type { ConsoleLink } from '../../shared/contract/access/console-sessions.ts'
import type { StoreEnvironment } from '../../shared/contract/states.ts'
import { CONSOLE_HOST } from '../../shared/names.ts'
import type { ApiClient } from '../api/client.ts'
import { isLoopback } from '../api/transport.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Page of a server in the console. */
export function consolePage(server: string, environment: StoreEnvironment): string {
  const tab = environment === 'preview' ? '/playground' : ''
  return `/servers/${encodeURIComponent(server)}${tab}?env=${environment}`
}

/**
 * URL of a page of the local daemon's console. The URL contains no secret. Without a sign-in, the page explains how to sign in.
 * Undefined for an API on another machine.
 */
export function consoleUrl({ url }: Pick<ApiClient, 'url'>, page = '/'): string | undefined {
  const { hostname, port } = new URL(url)
  return isLoopback(hostname) ? `http://${CONSOLE_HOST}:${port}/console${page}` : undefined
}

/**
 * URL of a page of the console. At a terminal, the URL also signs one browser in, within a minute. Otherwise, it contains no
 * secret, because other users may read the output. Undefined for an API without a console.
 */
export async function signInUrl({ api, output }: CommandContext, page: string): Promise<string | undefined> {
  const client = await api()
  if (!output.interactive || !output.terminal) return consoleUrl(client, page)
  const link = await client.post<ConsoleLink>('/api/console/links').catch(() => undefined)
  return link && `${link.url}&to=${encodeURIComponent(page)}`
}
