import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { lightHttpImport } from '../../../scripts/builtin-imports.ts'
import { leanPackages } from '../../../scripts/lean-packages.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))
const FOLDER = 'MCP_TEST_PROGRAMS'
const ENTRIES = {
  instance: 'instance.ts',
  scripted: 'instance/scripted-instance.ts',
  moduleProcess: 'network/module-process.ts',
}

/**
 * Global set-up: bundles the programs of test/fixtures that tests start most often. Without bundling, Node takes 0.1 to
 * 0.4 s of processor time per process to strip their types. The plugins and lazily loaded chunks halve the remaining start-up
 * time.
 */
export default async function buildPrograms(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-programs-'))
  await build({
    absWorkingDir: FIXTURES,
    entryPoints: ENTRIES,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    // The only folder next to an instance program that is visible in its sandbox.
    chunkNames: 'instance/[name]-[hash]',
    minify: true,
    plugins: [lightHttpImport, leanPackages],
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    logLevel: 'warning',
  })
  process.env[FOLDER] = folder
  return () => rmSync(folder, { recursive: true })
}

/** Path of a bundled program. */
export function fixtureProgram(name: keyof typeof ENTRIES): string {
  return join(process.env[FOLDER]!, `${name}.mjs`)
}
