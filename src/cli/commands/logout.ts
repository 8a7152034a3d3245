import { HostingError } from '../../shared/errors.ts'
import { LOCAL } from '../api/context.ts'
import { type ApiSession, readCredentials, removeCredential } from '../api/credentials.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { resolveTarget } from '../targets/server-target.ts'

export default defineCommand({
  name: 'logout',
  description:
    'Revoke and remove the sign-in of the current context, or of --context. A saved API key is only removed and stays valid until it is revoked. With --server, sign out of that MCP server.',
  options: {
    server: {
      type: 'string',
      value: 'server',
      doc: 'URL, name or id of an MCP server to sign out of',
    },
  },
  examples: {
    'mcp logout': 'the current context',
    'mcp logout --context work': 'another context',
    'mcp logout --server weather': 'an MCP server',
  },
  async run(context, { server }) {
    if (server !== undefined) return signOutOfServer(context, server)
    const { output, paths, settings, signal } = context
    const name = settings().context.value
    const { withLock } = await import('../sign-in/lock-file.ts')
    // Without the lock, a concurrent renewal would restore the revoked sign-in.
    const { removed, revoked } = await withLock(`${paths.credentials}.lock`, signal, async () => {
      const credential = readCredentials(paths.credentials).contexts[name]
      if (name === LOCAL && credential?.apiKey) throw localKeyError()
      const revoked = credential?.session && (await endSession(context, credential.session))
      return { removed: removeCredential(paths.credentials, name), revoked }
    })
    output.result({ context: name, removed, ...(revoked !== undefined && { revoked }) }, () =>
      output.line(sentenceOf(name, removed, revoked)),
    )
  },
})

/** The daemon creates this key only when it starts, so removing the key would lock the user out. */
function localKeyError(): HostingError {
  return new HostingError(
    'CONFLICT',
    'The context "local" is the daemon on this machine. The daemon created its key, and no command can use the daemon without it. Nothing was changed.',
    {
      next: [
        { description: 'Sign out of another context', command: 'mcp logout --context <name>' },
        { description: 'List contexts', command: 'mcp context list' },
      ],
    },
  )
}

type EndedSession = Omit<ApiSession, 'resource' | 'expiresAt'>

async function signOutOfServer(context: CommandContext, reference: string): Promise<void> {
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

/** Signing out must work even when the server is unreachable. */
async function endSession({ output, signal }: CommandContext, session: EndedSession): Promise<boolean> {
  const { revokeSession } = await import('../sign-in/api-session.ts')
  try {
    return await revokeSession(session, signal)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    output.warn(`Could not revoke the sign-in at the authorization server: ${error.message}`)
    return false
  }
}

function sentenceOf(name: string, removed: boolean, revoked: boolean | undefined): string {
  if (!removed) return `Context "${name}" has no saved key or sign-in.`
  if (revoked === undefined) return `Removed the key of context "${name}"`
  return revoked ? `Signed out of context "${name}"` : `Removed the sign-in of context "${name}"`
}
