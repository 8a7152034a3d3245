import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { IncompleteDeployment, RestoreReport } from '../../shared/contract/daemon/backups.ts'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { makeSingleFile, readDeployed, readFacts } from './copied-database.ts'
import type { StoredBackup } from './manifest.ts'
import { copyAtomically } from './object-pool.ts'
import { bundleOf, bundlePath, type ReferredFile, referredFiles } from './referred-files.ts'
import { stageState } from './state-files.ts'
import { stagedState, swapDatabase } from './swap-database.ts'
import { databaseProblems, isWhole, laterChange, manifestState, poolOf } from './verify-backup.ts'

export interface RestoreOptions {
  /** Check value of the home's `secret.key`. Undefined if the key is missing, damaged or unreadable. */
  keyCheck: string | undefined
  /** Accepts a missing or different key. */
  acceptsKey: boolean
  /** Accepts files that are intact in neither the home nor the backup, and a missing or damaged manifest. */
  isPartial: boolean
}

/**
 * Verifies a backup, adds its files to the home, and replaces the database and the state of servers in one step. Until then,
 * both are unchanged. Throws INVALID_REQUEST, and changes nothing, for a damaged backup. Also for a backup that lacks files or a
 * manifest, or was made with another `secret.key`, unless `options` accepts that. The home must be locked.
 */
export async function restoreBackup(
  paths: HomePaths,
  backup: StoredBackup,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const copy = `${paths.database}.${randomBytes(6).toString('hex')}.tmp`
  try {
    copyDatabaseFiles(backup, copy)
    const { absent, damaged } = await checkRestorable(paths, { ...backup, file: copy }, options, backup)
    if (damaged.length > 0 && !options.isPartial) throw incompleteBackup(paths, backup, damaged)
    makeSingleFile(copy)
    for (const { path } of absent) await restoreFile(paths, backup, path)
    const affected = await findIncomplete(paths, copy, options.keyCheck)
    const staged = await stageState(backup, stagedState(paths.database))
    const { kept } = swapDatabase(
      paths.database,
      copy,
      staged === undefined ? undefined : { state: paths.state, copy: staged },
    )
    return { kept, files: absent.length, ...affected }
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
  }
}

/** Performs the checks of `restoreBackup` without changing anything. */
export async function requireRestorable(
  paths: HomePaths,
  backup: StoredBackup,
  options: RestoreOptions,
): Promise<void> {
  const { damaged } = await checkRestorable(paths, backup, options, backup)
  if (damaged.length > 0 && !options.isPartial) throw incompleteBackup(paths, backup, damaged)
}

/** `absent`: files intact only in the backup, without `state/`. `damaged`: files intact in neither the home nor the backup. */
async function checkRestorable(
  paths: HomePaths,
  { file, manifest }: StoredBackup,
  { keyCheck, acceptsKey, isPartial }: RestoreOptions,
  backup: StoredBackup,
): Promise<{ absent: ReferredFile[]; damaged: ReferredFile[] }> {
  const [problem] = laterChange(backup) ?? (await databaseProblems(file, manifest?.database))
  if (problem) throw new HostingError('INVALID_REQUEST', `${backup.file} cannot be restored: ${problem}.`)
  if (!manifest && !isPartial) throw withoutManifest(paths, backup)
  const facts = readFacts(file)
  if (facts.keyCheck !== null && facts.keyCheck !== keyCheck && !acceptsKey)
    throw otherKey(paths, backup, keyCheck)
  const pool = poolOf(backup)
  const absent: ReferredFile[] = []
  const damaged: ReferredFile[] = []
  const locate = (path: string) =>
    [join(paths.home, path), pool.path(path)].find(one => existsSync(one)) ?? pool.path(path)
  for (const wanted of manifest?.files ?? referredFiles(facts, locate)) {
    const target = targetOf(paths, wanted.path)
    if (target === undefined || (await isWhole(target, wanted))) continue
    if (!(await isWhole(pool.path(wanted.path), wanted))) damaged.push(wanted)
    else if (!isState(wanted.path)) absent.push(wanted)
  }
  return { absent, damaged }
}

/** True for a file of the state of servers, which is restored in one step (`stageState`). */
function isState(path: string): boolean {
  return path.startsWith('state/')
}

/** Target of a file. Undefined for the configuration if the home has one, because that file belongs to the user. */
function targetOf(paths: HomePaths, path: string): string | undefined {
  if (!path.startsWith('config/')) return join(paths.home, path)
  return existsSync(paths.config) ? undefined : paths.config
}

async function restoreFile(paths: HomePaths, backup: StoredBackup, path: string): Promise<void> {
  const target = targetOf(paths, path)
  if (target === undefined) return
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  await copyAtomically(poolOf(backup).path(path), target)
  chmodSync(target, 0o600)
}

/** Without a manifest, also copies the write-ahead log that a manual copy of a database may have. */
function copyDatabaseFiles({ file, manifest }: StoredBackup, to: string): void {
  copyFileSync(file, to)
  if (!manifest && existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${to}-wal`)
  chmodSync(to, 0o600)
}

/** Finds deployments of the restored database that lack something in this home. */
async function findIncomplete(
  paths: HomePaths,
  database: string,
  keyCheck: string | undefined,
): Promise<Pick<RestoreReport, 'wouldNotStart' | 'needBuild'>> {
  const expected = readFacts(database).keyCheck
  const isOtherKey = expected !== null && expected !== keyCheck
  const wouldNotStart: IncompleteDeployment[] = []
  const needBuild: IncompleteDeployment[] = []
  for (const { deployment_id, name, environment, digest, source_digest, sealed } of readDeployed(database)) {
    const [deployment, stops] = [{ deployment_id, name, environment }, await missingPart(paths, digest)]
    const program = stops === undefined ? programOf(join(paths.artifacts, `${digest}.json`)) : undefined
    const reason =
      stops ?? missingSource(paths, program, source_digest) ?? (sealed && isOtherKey ? OLD_KEY : undefined)
    if (reason) wouldNotStart.push({ ...deployment, reason })
    const rebuild = program && missingInstallation(paths, program)
    if (rebuild) needBuild.push({ ...deployment, reason: rebuild })
  }
  return { wouldNotStart, needBuild }
}

const OLD_KEY = 'its environment variables need the old secret.key: deploy it again and set them'

async function missingPart(paths: HomePaths, digest: string | null): Promise<string | undefined> {
  const artifact = digest === null ? undefined : join(paths.artifacts, `${digest}.json`)
  if (!artifact || !(await isWhole(artifact, { digest: digest! })))
    return 'its artifact is missing: build the server again'
  const bundle = bundleOf(artifact)
  return bundle === undefined || (await isWhole(bundlePath(artifact), { digest: bundle }))
    ? undefined
    : 'the bundle of its artifact is missing: build the server again'
}

/** Describes a missing file of a program. */
function missingSource(
  { programSources }: HomePaths,
  program: Artifact['program'],
  digest: string | null,
): string | undefined {
  const runsFromSource = program?.type === 'stdio' || program?.type === 'http'
  return !runsFromSource || digest === null || existsSync(join(programSources, digest))
    ? undefined
    : 'its unpacked source is not part of a backup: build the server again'
}

/** Describes a missing image or npm package that may still be available when the program starts. */
function missingInstallation(
  { packages }: HomePaths,
  program: NonNullable<Artifact['program']>,
): string | undefined {
  if (program.type === 'image')
    return `the image ${program.image} is not part of a backup: unless the container engine still has it, build the server again`
  if (program.type === 'module' || !program.package || existsSync(join(packages, program.package.digest)))
    return undefined
  return 'its npm package is not part of a backup: until the server is built again, npx downloads it at each start'
}

function programOf(artifact: string): Artifact['program'] {
  return (JSON.parse(readFileSync(artifact, 'utf8')) as Artifact).program
}

function withoutManifest(paths: HomePaths, backup: StoredBackup): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `${backup.file} cannot be restored: its manifest ${manifestState(backup)}. Nothing was changed.`,
    {
      details:
        'The manifest has the digests of the database and its files. Without it, a changed database goes unnoticed.',
      next: [
        { description: 'List the other backups', command: 'mcp daemon backup --list' },
        {
          description: 'Or restore the database and the files that it refers to, without checking its digest',
          command: `mcp daemon restore ${referenceTo(paths, backup)} --partial`,
        },
      ],
    },
  )
}

/** Argument for `mcp daemon restore`: the name of a backup in the home or the storage, otherwise its path. */
function referenceTo({ backups }: HomePaths, { name, file }: StoredBackup): string {
  const folder = dirname(file)
  if (folder === backups || (dirname(folder) === backups && folder.endsWith('.tmp'))) return name
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`
}

function incompleteBackup(paths: HomePaths, backup: StoredBackup, damaged: ReferredFile[]): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `${backup.file} cannot be restored: ${damaged.length} of its files are missing or damaged. Nothing was changed.`,
    {
      details: damaged
        .map(({ path }) => path)
        .slice(0, 20)
        .join('\n'),
      next: [
        { description: 'List the other backups', command: 'mcp daemon backup --list' },
        {
          description: 'Or restore without these files',
          command: `mcp daemon restore ${referenceTo(paths, backup)} --partial`,
        },
      ],
    },
  )
}

function otherKey(paths: HomePaths, backup: StoredBackup, keyCheck: string | undefined): HostingError {
  let state = 'is not the one that the values in the backup were encrypted with'
  if (keyCheck === undefined) state = existsSync(paths.secretKey) ? 'is damaged or unreadable' : 'is missing'
  return new HostingError(
    'INVALID_REQUEST',
    `${backup.file} cannot be restored: the key file ${paths.secretKey} ${state}. Nothing was changed.`,
    {
      details: 'Backups do not contain the key. This backup may also be from another home.',
      next: [
        { description: 'Stop the daemon and put the secret.key of that home in place, then restore again' },
        {
          description: 'Or restore without the values that were encrypted with that key',
          command: `mcp daemon restore ${referenceTo(paths, backup)} --new-secret-key`,
        },
      ],
    },
  )
}
