import { isAbsolute } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import { parseRepository, type RepositoryAddress } from './repository-address.ts'

export type BaseReference =
  | { type: 'layout'; directory: string; name: string | undefined }
  | { type: 'registry'; address: RepositoryAddress; reference: string }

/**
 * Parses `oci:/folder`, `oci:/folder:name`, `registry.example.com/node:24` or `…/node@sha256:…`. Undefined for `local`, this
 * machine's Node. Throws INVALID_REQUEST.
 */
export function parseBaseReference(text: string): BaseReference | undefined {
  if (text === 'local') return undefined
  if (text.startsWith('oci:')) return parseLayout(text)
  const [, repository = '', tag, digest] =
    /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? []
  try {
    return { type: 'registry', address: parseRepository(repository), reference: digest ?? tag ?? 'latest' }
  } catch {
    throw new HostingError('INVALID_REQUEST', `"${text}" is not a base image.`, {
      details:
        'Expected registry.example.com/node:24, …@sha256:<digest>, oci:/folder of an OCI layout, or local.',
    })
  }
}

function parseLayout(text: string): BaseReference {
  const [, directory = '', name] = /^oci:([^:]+)(?::(.+))?$/.exec(text) ?? []
  if (isAbsolute(directory)) return { type: 'layout', directory, name }
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is not a base image: the folder of a layout must be an absolute path.`,
    {
      details: 'Expected oci:/folder, or oci:/folder:name for one of several images.',
    },
  )
}
