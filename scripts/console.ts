import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { leanPackages } from './lean-packages.ts'

/** Maximum compressed size of what the browser loads before the page is usable. */
const FIRST_LOAD_LIMIT_BYTES = 60_000

interface ConsoleFile {
  /** Relative to `dist/`. */
  name: string
  contents: Uint8Array
}

/** Settings of the page's code, also for tests of single components. */
export const CONSOLE_OPTIONS = {
  bundle: true,
  write: false,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions

const ENTRY_POINTS = { main: 'src/console/main.tsx', icon: 'src/console/icon.svg' }

/**
 * The console for `dist/console/`: the page, and assets whose names have a hash of their content. All files are compressed,
 * because every browser accepts gzip. Throws when the first load exceeds its limit.
 */
export async function buildConsole(root: string): Promise<ConsoleFile[]> {
  const { outputFiles, metafile } = await build({
    ...CONSOLE_OPTIONS,
    absWorkingDir: root,
    entryPoints: ENTRY_POINTS,
    outdir: 'dist/console/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    publicPath: '/console/assets/',
    loader: { '.svg': 'copy' },
    splitting: true,
    minify: true,
    metafile: true,
    plugins: [leanPackages],
  })
  const first = firstLoad(metafile)
  // The style sheet of the page has all styles. Style sheets of single views only repeat them.
  const used = outputFiles.filter(({ path }) => !path.endsWith('.css') || first.includes(basename(path)))
  const assets = used.map(file => compress(`console/assets/${basename(file.path)}`, file.contents))
  const page = compress('console/index.html', Buffer.from(pageWith(root, first)))
  const loaded = assets.filter(({ name }) => first.includes(basename(name, '.gz')))
  requireSmall([page, ...loaded])
  return [page, await appFrame(root), ...assets]
}

/** The page around an MCP App. Script and styles are in the page, so that it needs nothing else from its origin. */
async function appFrame(root: string): Promise<ConsoleFile> {
  const { outputFiles } = await build({
    ...CONSOLE_OPTIONS,
    absWorkingDir: root,
    format: 'iife',
    entryPoints: ['src/console/app-frame/main.ts'],
    outdir: 'dist',
    minify: true,
  })
  const code = (type: string) => outputFiles.find(({ path }) => path.endsWith(type))!.text
  const page = readFileSync(join(root, 'src/console/app-frame/index.html'), 'utf8')
    .replace('<link rel="stylesheet" href="{style}">', () => `<style>${code('.css')}</style>`)
    .replace('<script src="{script}"></script>', () => `<script>${code('.js')}</script>`)
  return compress('console/app-frame.html', Buffer.from(page))
}

function compress(name: string, contents: Uint8Array): ConsoleFile {
  return { name: `${name}.gz`, contents: gzipSync(contents, { level: 9 }) }
}

/**
 * Names of the assets that the page needs immediately: scripts with their static imports, the style sheet and the icon. Views
 * that `import()` loads are entry points of esbuild, too.
 */
function firstLoad({ outputs }: Metafile): string[] {
  const roots: readonly (string | undefined)[] = Object.values(ENTRY_POINTS)
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => roots.includes(entryPoint))
  const paths = new Set(entries.map(([path]) => path))
  for (const path of paths) {
    const { imports, cssBundle } = outputs[path]!
    for (const { path: imported, kind } of imports) if (kind === 'import-statement') paths.add(imported)
    if (cssBundle) paths.add(cssBundle)
  }
  return [...paths].map(path => basename(path))
}

function pageWith(root: string, assets: readonly string[]): string {
  const template = readFileSync(join(root, 'src/console/index.html'), 'utf8')
  const names = { script: /^main-.*\.js$/, style: /^main-.*\.css$/, icon: /^icon-.*\.svg$/ }
  const page = template.replace(/\{(script|style|icon)\}/g, (_, kind: keyof typeof names) => {
    const name = assets.find(asset => names[kind].test(asset))
    if (name === undefined) throw new Error(`the console's build has no ${kind}`)
    return `/console/assets/${name}`
  })
  return page.replace('  </head>', `${assets.filter(isImported).map(preload).join('')}  </head>`)
}

function isImported(asset: string): boolean {
  return asset.endsWith('.js') && !asset.startsWith('main-')
}

/** Makes the browser load the script together with the one that imports it, not after it. */
function preload(asset: string): string {
  return `    <link rel="modulepreload" href="/console/assets/${asset}">\n`
}

function requireSmall(files: readonly ConsoleFile[]): void {
  const total = files.reduce((sum, { contents }) => sum + contents.length, 0)
  if (total <= FIRST_LOAD_LIMIT_BYTES) return
  const list = files.map(({ name, contents }) => `${name} ${contents.length}`).join(', ')
  throw new Error(
    `the console's first load is ${total} bytes, the limit is ${FIRST_LOAD_LIMIT_BYTES}: ${list}. Use import() for code that the page does not need immediately.`,
  )
}
