import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'

/** Files and folders of the host, by the path at which a sandbox shows them. All are read-only. */
export type View = ReadonlyMap<string, string>

/** Path of the Node executable inside a sandbox. */
export const NODE_INSIDE = '/mcp/node'

/** Node and the shared objects of this process, including the loader, but without the kernel's vDSO and native addons. */
export function nodeView(): View {
  const report = process.report as typeof process.report & { excludeNetwork: boolean }
  const listsNetwork = !report.excludeNetwork
  report.excludeNetwork = true // avoids reverse lookups of addresses
  const { sharedObjects } = report.getReport() as unknown as { sharedObjects: string[] }
  report.excludeNetwork = !listsNetwork
  const libraries = sharedObjects.filter(path => existsSync(path) && !path.endsWith('.node'))
  return new Map([[NODE_INSIDE, process.execPath], ...samePaths(libraries)])
}

/** A native program of the host with its shared objects, all under their original paths. */
export function programView(file: string): View {
  const listed = execFileSync('ldd', [file], { encoding: 'utf8', timeout: 5000 })
  const libraries = Array.from(listed.matchAll(/(\/\S+) \(0x/g), ([, path]) => path!)
  return new Map(samePaths([file, ...libraries]))
}

/**
 * Files that the C library of `node` reads to resolve names. Older versions of glibc load their name service modules on
 * demand.
 */
export function resolverView(node: View): View {
  const files = ['hosts', 'host.conf', 'resolv.conf', 'nsswitch.conf', 'gai.conf'].map(name => `/etc/${name}`)
  const modules = [...node.keys()]
    .filter(path => /\/libc\.so/.test(path))
    .flatMap(libc =>
      ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'].map(name => join(dirname(libc), name)),
    )
  return new Map(samePaths([...files, ...modules].filter(path => existsSync(path))))
}

/** Arguments of bubblewrap that mount the view. Folders that bubblewrap creates implicitly are accessible only to root. */
export function viewArguments(view: View): string[] {
  const folders = new Set([...view.keys()].flatMap(foldersOf))
  return [
    ...[...folders].flatMap(folder => ['--perms', '0755', '--dir', folder]),
    ...[...view].flatMap(([inside, outside]) => ['--ro-bind', outside, inside]),
  ]
}

function samePaths(paths: readonly string[]): [inside: string, outside: string][] {
  return paths.map(path => [path, path])
}

/** Parent folders from the top down, without the root. */
function foldersOf(path: string): string[] {
  const folder = dirname(path)
  return folder === parse(folder).root ? [] : [...foldersOf(folder), folder]
}
