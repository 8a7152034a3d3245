import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'

/** Files from which npm installs the dependencies of a project. */
export interface LockedDependencies {
  packageJson: string
  packageLock: string
}

/** The daemon provides its own version. */
const OWN_PACKAGE = 'mcp-hosting'
const OTHER_LOCKS = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']

type Fields = Record<string, unknown>

/**
 * Dependencies of a project. Undefined when it has none. Throws INVALID_MCP when they are not locked by a
 * `package-lock.json`, or are not from a registry or a web URL.
 */
export function readLockedDependencies(directory: string): LockedDependencies | undefined {
  const manifest = readJson(directory, 'package.json')
  if (!manifest) return undefined
  const { [OWN_PACKAGE]: _own, ...dependencies } = fieldsOf(manifest.dependencies)
  const optionalDependencies = fieldsOf(manifest.optionalDependencies)
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  if (names.length === 0) return undefined
  requireRegistryFor({ dependencies, optionalDependencies, overrides: manifest.overrides })
  const lock = readJson(directory, 'package-lock.json')
  if (!lock) throw notLocked(directory, names)
  const packages = lockedPackages(lock)
  const root = { name: 'project', dependencies, optionalDependencies, overrides: manifest.overrides }
  return {
    packageJson: JSON.stringify(root),
    packageLock: JSON.stringify({
      name: 'project',
      lockfileVersion: lock.lockfileVersion,
      requires: true,
      packages: { ...packages, '': root },
    }),
  }
}

/** Names of the development dependencies, which are not installed. */
export function readDevDependencies(directory: string): string[] {
  return Object.keys(fieldsOf(readJson(directory, 'package.json')?.devDependencies))
}

function readJson(directory: string, name: string): Fields | undefined {
  const file = join(directory, name)
  if (!existsSync(file)) return undefined
  try {
    return fieldsOf(JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')))
  } catch (error) {
    throw new HostingError('INVALID_MCP', `${name} cannot be parsed: ${(error as Error).message}.`)
  }
}

function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {}
}

function lockedPackages(lock: Fields): Fields {
  if (Number(lock.lockfileVersion) < 2 || lock.packages === undefined)
    throw new HostingError('INVALID_MCP', 'package-lock.json has lockfileVersion 1, the format of npm 6.', {
      next: [
        {
          description: 'Update the lock file with npm 7 or newer',
          command: 'npm install --package-lock-only',
        },
      ],
    })
  const { [`node_modules/${OWN_PACKAGE}`]: _own, ...packages } = fieldsOf(lock.packages)
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '') continue
    requireRegistry(path, fieldsOf(entry))
    requireRegistryFor(fieldsOf(entry))
  }
  return packages
}

/** Rejects folders, links and git repositories, because they would be read or run on this machine. */
function requireRegistry(path: string, { resolved, link }: Fields): void {
  const isRemote = resolved === undefined || /^https?:\/\//.test(String(resolved))
  if (path.startsWith('node_modules/') && !link && isRemote) return
  throw notFromRegistry(path.replace(/^.*node_modules\//, ''), String(resolved ?? path))
}

function notFromRegistry(name: string, from: string): HostingError {
  return new HostingError(
    'INVALID_MCP',
    `The dependency "${name}" comes from ${from}. Only packages from a registry are installed.`,
    { details: 'Copy the code into the project, or publish it as a package.' },
  )
}

/** Also checks indirect dependencies. npm resolves dependencies that are missing from a lock file, even from git repositories. */
function requireRegistryFor({ dependencies, optionalDependencies, overrides }: Fields): void {
  for (const [name, wanted] of [dependencies, optionalDependencies, overrides].flatMap(specsOf))
    if (!isFromRegistry(wanted)) throw notFromRegistry(name, wanted)
}

/** Names and versions, including nested ones in `overrides`. */
function specsOf(value: unknown): [name: string, wanted: string][] {
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]): [string, string][] =>
    typeof inner === 'string' ? [[name, inner]] : specsOf(inner),
  )
}

const GIT_HOST =
  /^https?:\/\/(?:[^/@]*@)?(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|gist\.github\.com|git\.sr\.ht)\//

/**
 * True for a version, a range, a tag, another package's name or the URL of a packed file
 * (https://docs.npmjs.com/cli/v11/using-npm/package-spec).
 */
function isFromRegistry(wanted: string): boolean {
  if (/^https?:/.test(wanted))
    return (
      /\.(?:tgz|tar\.gz)(?:[?#]|$)/.test(wanted) || !(GIT_HOST.test(wanted) || /\.git(?:#|$)/.test(wanted))
    )
  return /^(?:npm:|\$)/.test(wanted) || !/[/\\:]/.test(wanted)
}

function notLocked(directory: string, names: string[]): HostingError {
  const other = OTHER_LOCKS.find(name => existsSync(join(directory, name)))
  const listed = names.length > 5 ? [...names.slice(0, 5), '…'] : names
  const why = other
    ? `they are locked by ${other} instead of package-lock.json`
    : 'there is no package-lock.json'
  return new HostingError(
    'INVALID_MCP',
    `package.json has dependencies (${listed.join(', ')}), but ${why}.`,
    {
      details: 'Create the lock file next to package.json, then build again: npm install --package-lock-only',
      next: [{ description: 'Create the lock file', command: 'npm install --package-lock-only' }],
    },
  )
}
