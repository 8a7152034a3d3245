import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'

const namedInspector = named('Inspector', 'Debugger for the preview of a build.', {
  url: 'ws://127.0.0.1:9229/ca7c47b6-d413-4980-8ff7-05157462c9b0',
})

/** GET /v1/build/{mcp_id}/inspector */
export const inspectorSchema = namedInspector.object({
  url: z
    .string()
    .nullable()
    .describe('WebSocket of the Chrome DevTools Protocol, on loopback. Null if there is none.'),
})

export type Inspector = z.infer<typeof inspectorSchema>
