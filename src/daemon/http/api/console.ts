import {
  consoleLinkSchema,
  consoleSessionSchema,
  endedConsoleSessionsSchema,
} from '../../../shared/contract/access/console-sessions.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ConsoleSession } from '../../services/access/console-sessions.ts'
import type { Services } from '../../services/services.ts'
import type { AppFrames } from '../app-frames.ts'
import { EXPIRED_COOKIE } from '../console-sign-in.ts'
import { type Call, dataEndpoint, endpoint } from '../endpoint.ts'

/** Sign-in of browsers to the console. The one-time URL itself is in `console-sign-in.ts`. */
export function consoleEndpoints({ apiKeys, consoleSessions }: Services, frames: AppFrames) {
  const createLink = dataEndpoint({
    operationId: 'createConsoleLink',
    summary: 'Create a URL that signs one browser in to the console with the rights of the key',
    answers: { 201: { description: 'Valid once, for a minute.', schema: consoleLinkSchema } },
    run(call) {
      if (call.consoleSession)
        throw new HostingError('FORBIDDEN', 'A browser cannot sign in another browser.', {
          details: 'Create the URL with an API key: mcp console',
        })
      if (apiKeys.isExpired(call.principal))
        throw new HostingError('FORBIDDEN', `The API key "${call.principal.name}" has expired.`)
      return consoleSessions.createLink(call.principal, call.header('host')!)
    },
  })

  const getSession = dataEndpoint({
    operationId: 'getConsoleSession',
    summary: 'Show the console session of the browser, and the key whose rights it has',
    answers: { 200: { description: 'The session.', schema: consoleSessionSchema } },
    errors: ['NOT_FOUND'],
    async run(call) {
      const { id, createdAt, expiresAt } = sessionOf(call)
      const appFrames = await frames.origin()
      return { id, createdAt, expiresAt, key: apiKeys.info(call.principal), ...(appFrames && { appFrames }) }
    },
  })

  const endSession = endpoint({
    operationId: 'endConsoleSession',
    summary: 'Sign this browser out of the console',
    answers: { 204: { description: 'Signed out.', headers: ['Set-Cookie'] } },
    errors: ['NOT_FOUND'],
    run(call) {
      consoleSessions.end(sessionOf(call))
      return { status: 204, headers: { 'Set-Cookie': EXPIRED_COOKIE } }
    },
  })

  const endSessions = dataEndpoint({
    operationId: 'endConsoleSessions',
    summary: 'Sign out every browser that has the rights of the key',
    answers: { 200: { description: 'The browsers are signed out.', schema: endedConsoleSessionsSchema } },
    run: ({ principal }) => ({ ended: consoleSessions.endAll(principal) }),
  })

  return { createLink, getSession, endSession, endSessions }
}

function sessionOf({ consoleSession }: Call<unknown, unknown, unknown>): ConsoleSession {
  if (consoleSession) return consoleSession
  throw new HostingError('NOT_FOUND', 'The request has an API key but no console session.')
}
