import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HostingError } from '../../shared/errors.ts'
import type { StorageSettings } from '../builder/storage/open-storage.ts'
import type { S3Credentials } from '../builder/storage/s3-client.ts'

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/**
 * Reads `MCP_STORAGE`: `s3://bucket/prefix` or `file:///folder`. Undefined means that everything stays in the home. Endpoint,
 * region and credentials come from the variables and the credentials file of the AWS tools. Throws INVALID_REQUEST.
 */
export function readStorage(env: NodeJS.ProcessEnv): StorageSettings | undefined {
  return readLocation(env, 'MCP_STORAGE')
}

/** Reads `MCP_BACKUP`, the storage for copies of backups, in the syntax of `MCP_STORAGE`. Throws INVALID_REQUEST. */
export function readBackupStorage(env: NodeJS.ProcessEnv): StorageSettings | undefined {
  return readLocation(env, 'MCP_BACKUP')
}

function readLocation(env: NodeJS.ProcessEnv, variable: string): StorageSettings | undefined {
  const location = env[variable]
  if (!location) return undefined
  if (/^file:\/\/\//.test(location)) return { type: 'file', directory: fileURLToPath(location) }
  const [, bucket, prefix = ''] = BUCKET.exec(location) ?? []
  if (!bucket)
    throw new HostingError(
      'INVALID_REQUEST',
      `${variable} is "${location}", expected s3://<bucket>/<prefix> or file:///<folder>.`,
    )
  return {
    type: 's3',
    bucket,
    prefix: prefix.replace(/^\/+|\/+$/g, '').replace(/(?<=.)$/, '/'),
    endpoint: readEndpoint(env),
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1',
    credentials: readCredentials(env, variable),
  }
}

function readEndpoint(env: NodeJS.ProcessEnv): string | undefined {
  const name = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL'
  const text = env[name]
  if (!text || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text || undefined
  throw new HostingError('INVALID_REQUEST', `${name} is "${text}", expected an http or https URL.`)
}

/** https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html */
function readCredentials(env: NodeJS.ProcessEnv, variable: string): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined }
  const file = env.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials')
  const profile = env.AWS_PROFILE || 'default'
  const found = readProfile(readPrivate(file), profile)
  if (found.aws_access_key_id && found.aws_secret_access_key)
    return {
      accessKeyId: found.aws_access_key_id,
      secretAccessKey: found.aws_secret_access_key,
      sessionToken: found.aws_session_token,
    }
  throw new HostingError('INVALID_REQUEST', `There are no credentials for the bucket in ${variable}.`, {
    details: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write the profile [${profile}] into ${file} (mode 0600).`,
  })
}

/** Empty when there is no file. Throws INVALID_REQUEST for a file that other users can read. */
function readPrivate(file: string): string {
  const status = statSync(file, { throwIfNoEntry: false })
  if (!status) return ''
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0)
    throw new HostingError('INVALID_REQUEST', `Other users can read ${file}, so its secrets are not used.`, {
      next: [{ description: 'Make it private', command: `chmod 600 ${file}` }],
    })
  return readFileSync(file, 'utf8')
}

function readProfile(text: string, profile: string): Record<string, string> {
  const values: Record<string, string> = {}
  let section = ''
  for (const line of text.split('\n').map(line => line.trim())) {
    section = /^\[(.+)\]$/.exec(line)?.[1]?.trim() ?? section
    const [, name, value] = /^([a-z_]+)\s*=\s*(.*)$/.exec(line) ?? []
    if (name && section === profile) values[name] = value!
  }
  return values
}
