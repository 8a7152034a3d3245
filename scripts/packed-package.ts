import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKS, checkOldNode } from './packed-package/checks.ts'
import { Installation } from './packed-package/installation.ts'
import { nodeBinary } from './packed-package/node-binary.ts'
import { runOrThrow } from './packed-package/run-command.ts'

/**
 * Installs and uses the packed package as a user does, on the oldest, the newest and one other supported Node version. The last
 * line counts the checks. Other versions are arguments: `node scripts/packed-package.ts 24.0.0`. Needs `dist/`.
 */
const VERSIONS = ['22.19.0', '24.21.0', '26.10.0']
const OLD_VERSIONS = ['18.20.8', '20.19.0']

const root = fileURLToPath(new URL('..', import.meta.url))
const count = { passed: 0, failed: 0 }

async function check(name: string, run: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  try {
    await run()
    count.passed++
    console.log(`ok    ${name} (${Math.round(performance.now() - startedAt)} ms)`)
  } catch (error) {
    count.failed++
    console.log(`FAIL  ${name}\n${(error as Error).message}`)
  }
}

async function pack(folder: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const output = JSON.parse(await runOrThrow('npm', args, { cwd: root, env: process.env }))
  const [{ filename }] = Array.isArray(output) ? output : (Object.values(output) as [{ filename: string }])
  return join(folder, filename)
}

async function checkVersion(version: string, tarball: string, isLast: boolean): Promise<void> {
  const installation = new Installation(await nodeBinary(version))
  try {
    await check(`Node ${version}: npm install`, () => installation.install(tarball))
    for (const { name, run } of CHECKS) await check(`Node ${version}: ${name}`, () => run(installation))
    for (const old of isLast ? OLD_VERSIONS : [])
      await check(`Node ${old}: programs exit with one line`, async () =>
        checkOldNode(installation, await nodeBinary(old)),
      )
  } finally {
    await installation.remove()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mcp-tarball-'))
try {
  const named = process.argv.slice(2)
  const versions = named.length > 0 ? named : VERSIONS
  const tarball = await pack(folder)
  for (const version of versions) await checkVersion(version, tarball, version === versions.at(-1))
} finally {
  rmSync(folder, { recursive: true })
}
console.log(`${count.passed} passed, ${count.failed} failed`)
process.exitCode = count.failed > 0 ? 1 : 0
