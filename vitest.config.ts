import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that count descriptors of their process, look at its loaded modules, or change it permanently. */
const NEED_A_PROCESS = [
  'test/sdk/oauth/attacks/timing.test.ts',
  'test/shared/instances/idle-memory.test.ts',
  'test/daemon/runtime/logs/log-store.test.ts',
  'test/daemon/gateway/gateway.test.ts',
  'test/instance/host/warm-up.test.ts',
]

/** Code of tests that run `mcp`, a daemon or a shell in a process, or restart a daemon. */
const SLOW = /\b(createHome|startHome|MCP_BIN|ShellSession|daemon\.restart)\b/

export const slowFiles = globSync('test/**/*.test.ts').filter(file => SLOW.test(readFileSync(file, 'utf8')))

/** Starts the longest files first, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  readonly #slow = new Set(slowFiles.map(file => resolve(file)))

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => this.#rank(a) - this.#rank(b))
  }

  #rank({ project, moduleId }: TestSpecification): number {
    // A worker serves one project, so projects stay together.
    if (project.name === 'alone') return 0
    const [, part] = /\/test\/e2e\/(\w+)\//.exec(moduleId) ?? []
    if (part !== undefined) return part === 'console' ? 1 : part === 'containers' ? 2 : 3
    return this.#slow.has(moduleId) ? 4 : 5
  }
}

/** Settings of a run of all tests, or of those that are not excluded. */
export function settings(exclude: string[] = []) {
  return defineConfig({
    test: {
      globalSetup: ['test/helpers/vitest/global-setup.ts', 'test/helpers/vitest/fixture-programs.ts'],
      reporters: ['default', './test/helpers/vitest/count-reporter.ts'],
      // On a busy machine, events may arrive late.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 50_000 } },
      sequence: { sequencer: LongestFirst },
      // Tests start real processes and mostly wait for them. More workers than this run into timeouts on two cores.
      maxWorkers: 4,
      pool: 'forks',
      projects: [
        {
          extends: true,
          test: {
            name: 'shared',
            include: ['test/**/*.test.ts'],
            exclude: [...NEED_A_PROCESS, ...exclude],
            // Loading the daemon takes a second of processor time per file.
            isolate: false,
          },
        },
        { extends: true, test: { name: 'alone', include: NEED_A_PROCESS, exclude } },
      ],
    },
  })
}

export default settings()
