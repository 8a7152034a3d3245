import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface LockedPackage {
  version?: string
  dev?: boolean
  optional?: boolean
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url))

/**
 * Adds the platform packages that `npm install` left out of the lock file, as it does with those that the registry at
 * hand does not carry; `npm ci` refuses a lock file without them, on every platform
 * (https://github.com/npm/cli/issues/4828). Run after each change of dependencies: `npm run lock`.
 */
function completeLock(): string[] {
  const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, LockedPackage> }
  const added: string[] = []
  for (const { dev, optionalDependencies = {} } of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const key = `node_modules/${name}`
      const platform = platformOf(name)
      if (lock.packages[key] || !platform || !/^\d/.test(version)) continue
      lock.packages[key] = { version, ...platform, ...(dev ? { dev } : {}), optional: true }
      added.push(name)
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
  if (added.length > 0) {
    writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
  }
  return added
}

/** `@biomejs/cli-linux-arm64-musl` → linux, arm64, musl; undefined for a name that tells no platform. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const match = /-(android|darwin|linux|win32)-(x64|arm64)(-musl)?$/.exec(name)
  if (!match) return undefined
  return { os: [match[1]!], cpu: [match[2]!], ...(match[3] ? { libc: ['musl'] } : {}) }
}

const added = completeLock()
console.log(added.length > 0 ? `added ${added.join(', ')}` : 'the lock file is complete')
