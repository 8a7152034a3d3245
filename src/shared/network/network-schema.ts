import * as z from 'zod'
import { described } from '../json/schema-metadata.ts'
import { MAX_ALLOWED, parseDestination } from './destinations.ts'

const destinationSchema = z
  .string()
  .max(300)
  .superRefine((entry, context) => {
    const destination = parseDestination(entry)
    if (typeof destination === 'string') context.addIssue({ code: 'custom', message: destination })
  })

/** `config.network` of a deployment, and `deploy.network` of a project file. */
export const networkSchema = z
  .union(
    [
      z.literal('none'),
      z.strictObject({
        allow: z
          .array(destinationSchema)
          .min(1, 'must contain at least one host; use "network": "none" for no network')
          .max(MAX_ALLOWED)
          .meta(
            described('The only hosts that code may reach, each with an optional port.', [
              'api.github.com',
              '*.example.com:443',
              '203.0.113.7:5432',
            ]),
          ),
      }),
    ],
    { error: 'must be "none" or a list of hosts such as { "allow": ["api.example.com:443"] }' },
  )
  .meta({ id: 'NetworkSetting', description: 'Hosts that the code of a server may reach.' })
