import * as z from 'zod'

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\"*]+$/
const MAX_ORIGINS = 100

/** Reason why a string is not the origin of a page, as browsers send it (RFC 6454 6.2). Undefined when it is one. */
function originFault(text: string): string | undefined {
  if (text === '*') return 'use "*" alone to allow all origins, which requires sign-in'
  if (!ORIGIN.test(text) || !URL.canParse(text))
    return 'must be an origin such as https://app.example.com, without a path'
  // The URL standard defines no origins for the schemes that extensions and desktop programs send.
  const { protocol, origin } = new URL(text)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && origin !== text ? `browsers send this origin as ${origin}` : undefined
}

/** `config.origins` of a deployment, and `deploy.origins` of a project file. */
export const originsSchema = z
  .union(
    [
      z.literal('*'),
      z
        .array(
          z.string().superRefine((text, context) => {
            const message = originFault(text)
            if (message !== undefined) context.addIssue({ code: 'custom', message })
          }),
        )
        .max(MAX_ORIGINS),
    ],
    { error: 'must be a list of origins such as ["https://app.example.com"], or "*"' },
  )
  .meta({
    id: 'Origins',
    description:
      'Origins whose pages may use the server from a browser, or `*` for all. `*` requires `auth`, because every page that the user visits could use a server without sign-in.',
    examples: [['https://app.example.com']],
  })
