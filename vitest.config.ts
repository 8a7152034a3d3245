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

/** Starts the end-to-end tests first. They take longest, and the last worker should not be left alone with one. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker serves one project, so projects stay together.
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name === 'alone' ? 0 : moduleId.includes('/test/e2e/') ? 1 : 2
    return sorted.toSorted((a, b) => rank(a) - rank(b))
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
      maxWorkers: 3,
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
