import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { LOCAL } from '../context.ts'
import { type ApiSession, readCredentials, removeCredential } from '../credentials.ts'
import { resolveTarget } from '../server-target.ts'

export default defineCommand({
  name: 'logout',
  summary: 'end a sign-in, forget a saved key',
  description:
    'Ends the sign-in of the current context, or of the one that --context names, also at its authorization server, and forgets it. A saved key is forgotten; it stays valid until it is revoked. With --server it is the sign-in to that MCP server.',
  options: {
    server: {
      type: 'string',
      value: 'server',
      doc: 'URL, name or id of an MCP server that you signed in to',
    },
  },
  examples: [
    { command: 'mcp logout', does: 'the current context' },
    { command: 'mcp logout --context work', does: 'another one' },
    { command: 'mcp logout --server weather', does: 'an MCP server' },
  ],
  async run(context, { server }) {
    if (server !== undefined) return leaveServer(context, server)
    const { output, paths, settings, signal } = context
    const name = settings().context.value
    const { withLock } = await import('../sign-in/lock-file.ts')
    // A renewal under way would bring back what is revoked here.
    const { removed, revoked } = await withLock(`${paths.credentials}.lock`, signal, async () => {
      const credential = readCredentials(paths.credentials).contexts[name]
      const revoked = credential?.session && (await endSession(context, credential.session))
      return { removed: removeCredential(paths.credentials, name), revoked }
    })
    output.result({ context: name, removed, ...(revoked !== undefined && { revoked }) }, () => {
      output.line(sentenceOf(name, removed, revoked))
      if (removed && name === LOCAL)
        output.next({ description: 'Have the daemon make a new one', command: 'mcp daemon restart' })
    })
  },
})

type Ended = Omit<ApiSession, 'resource' | 'expiresAt'>

async function leaveServer(context: CommandContext, reference: string): Promise<void> {
  const { output, paths, signal } = context
  const [{ url, name }, { withLock }, { readServerSession, saveServerSession }] = await Promise.all([
    resolveTarget(context, reference),
    import('../sign-in/lock-file.ts'),
    import('../sign-in/server-store.ts'),
  ])
  const { removed, revoked } = await withLock(`${paths.signIns}.lock`, signal, async () => {
    const session = readServerSession(paths.signIns, url)
    if (!session) return { removed: false, revoked: undefined }
    const { client, accessToken, ...rest } = session
    const ended = {
      ...rest,
      clientId: client.client_id,
      ...(client.client_secret && { clientSecret: client.client_secret }),
      ...(client.token_endpoint_auth_method && { clientAuth: client.token_endpoint_auth_method }),
    }
    const revoked =
      accessToken === undefined ? undefined : await endSession(context, { ...ended, accessToken })
    saveServerSession(paths.signIns, url, undefined)
    return { removed: true, revoked }
  })
  output.result({ server: url, removed, ...(revoked !== undefined && { revoked }) }, () => {
    output.line(removed ? `Signed out of ${name}` : `You are not signed in to ${name}.`)
  })
}

/** A server that is out of reach must not keep somebody signed in here. */
async function endSession({ output, signal }: CommandContext, session: Ended): Promise<boolean> {
  const { revokeSession } = await import('../sign-in/api-session.ts')
  try {
    return await revokeSession(session, signal)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    output.warn(`The sign-in could not be ended at its server: ${error.message}`)
    return false
  }
}

function sentenceOf(name: string, removed: boolean, revoked: boolean | undefined): string {
  if (!removed) return `There is no saved key of the context "${name}".`
  if (revoked === undefined) return `Forgot the key of the context "${name}"`
  return revoked ? `Signed out of the context "${name}"` : `Forgot the sign-in of the context "${name}"`
}
