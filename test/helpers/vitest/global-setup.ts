import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { updateDist } from '../../../scripts/build.ts'

/** Builds `dist/`, whose programs the tests start, unless it is up to date. Sets the environment of all tests. */
export default async function setup(): Promise<void> {
  await updateDist()
  // A vendor's key would make tests call a real model.
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) delete process.env[name]
  // Shared by all homes, so that a daemon takes an eighth less processor time to start.
  const cache = mkdtempSync(join(tmpdir(), 'mcp-compiled-'))
  process.env.NODE_COMPILE_CACHE = cache
  // Not in a teardown: workers write to the cache when they exit, which may be later.
  process.once('exit', () => rmSync(cache, { recursive: true, force: true, maxRetries: 5 }))
}
