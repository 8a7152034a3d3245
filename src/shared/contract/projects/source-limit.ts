import { HostingError } from '../../errors.ts'

/** Maximum size of a source archive (docs/decisions/api.md). */
export const SOURCE_LIMIT_BYTES = 100 * 1024 * 1024

export function sourceTooLarge(): HostingError {
  return new HostingError(
    'PAYLOAD_TOO_LARGE',
    `The archive is larger than the maximum of ${SOURCE_LIMIT_BYTES} bytes (100 MiB).`,
    { details: 'In .mcpignore, list files that the server does not need.' },
  )
}
