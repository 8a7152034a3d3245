import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface LockedPackage {
  version?: string
  dev?: boolean
  optional?: boolean
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
  gypfile?: boolean
}

type LockedPackages = Record<string, LockedPackage>

const PLATFORM =
  /-(android|darwin|freebsd|linux|openharmony|win32)-(arm|arm64|ia32|ppc64|riscv64|s390x|x64)(?:-(\w+))?$/

const root = fileURLToPath(new URL('..', import.meta.url))

/** Adds entries that `npm install` omits from the lock file. Run after each change of dependencies: `npm run lock`. */
function completeLock(): string[] {
  const path = join(root, 'package-lock.json')
  const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: LockedPackages }
  const added = [...addPlatforms(lock.packages), ...markPrebuilt(lock.packages)]
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
  if (added.length > 0) {
    writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
  }
  return added
}

/**
 * Adds platform packages that the registry in use does not carry. `npm ci` refuses a lock file without them, on every platform
 * (https://github.com/npm/cli/issues/4828).
 */
function addPlatforms(packages: LockedPackages): string[] {
  const added: string[] = []
  for (const { dev, optionalDependencies = {} } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const key = `node_modules/${name}`
      const platform = platformOf(name)
      if (packages[key] || !platform || !/^\d/.test(version)) continue
      packages[key] = { version, ...platform, ...(dev ? { dev } : {}), optional: true }
      added.push(name)
    }
  }
  return added
}

/**
 * Adds `"gypfile": false` to packages that ship prebuilt binaries next to a binding.gyp. With a lock file, npm does not read
 * their package.json, finds the binding.gyp and compiles, which requires Python, make and a compiler.
 */
function markPrebuilt(packages: LockedPackages): string[] {
  const prebuilt = Object.entries(packages).filter(
    ([key, { gypfile }]) =>
      key !== '' && gypfile === undefined && isPrebuilt(join(root, key, 'package.json')),
  )
  for (const [, locked] of prebuilt) locked.gypfile = false
  return prebuilt.map(([key]) => `gypfile of ${key}`)
}

function isPrebuilt(manifest: string): boolean {
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).gypfile === false
}

/** `@biomejs/cli-linux-arm64-musl` → linux, arm64, musl. Undefined for a name without a platform. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const match = PLATFORM.exec(name)
  if (!match) return undefined
  return { os: [match[1]!], cpu: [match[2]!], ...(match[3]?.startsWith('musl') ? { libc: ['musl'] } : {}) }
}

const added = completeLock()
console.log(added.length > 0 ? `added ${added.join(', ')}` : 'the lock file is complete')
