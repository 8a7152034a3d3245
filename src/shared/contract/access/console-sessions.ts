import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { CONSOLE_HOST } from '../../names.ts'
import { EXAMPLE_TIME, isoTime } from '../fields.ts'
import { KEY_INFO, keyInfoSchema } from './api-keys.ts'

/** Sign-in of browsers to the console (extension; docs/decisions/api.md). */

export const CONSOLE_COOKIE = 'mcp_console'

export const consoleLinkSchema = named('ConsoleLink', 'A URL that signs one browser in.', {
  url: `http://${CONSOLE_HOST}:6273/console/sign-in?code=example`,
  expiresAt: EXAMPLE_TIME,
}).object({
  url: z
    .string()
    .describe('URL to open once. Append `&to=/servers/greeter` to open that page of the console.'),
  expiresAt: isoTime.describe('Expiry time of the URL.'),
})

export const consoleSessionSchema = named('ConsoleSession', 'A browser that is signed in to the console.', {
  id: 'con_4h7k2m9q5w1x8z3c6v0b',
  createdAt: EXAMPLE_TIME,
  expiresAt: EXAMPLE_TIME,
  key: KEY_INFO,
}).object({
  id: z.string().describe('Id of the session.'),
  createdAt: isoTime.describe('Time of the sign-in.'),
  expiresAt: isoTime.describe('Time at which the session ends.'),
  key: keyInfoSchema.describe('The key whose permissions the session has.'),
  appFrames: z.string().optional().describe('Origin of the frames of MCP Apps.'),
})

export const endedConsoleSessionsSchema = named('EndedConsoleSessions', 'Result of signing browsers out.', {
  ended: 1,
}).object({ ended: z.int().describe('Number of browsers that were signed out.') })

export type ConsoleLink = z.infer<typeof consoleLinkSchema>
export type EndedConsoleSessions = z.infer<typeof endedConsoleSessionsSchema>
export type ConsoleSession = z.infer<typeof consoleSessionSchema>
