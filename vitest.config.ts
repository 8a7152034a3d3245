import { defineConfig } from 'vitest/config'

/** Those whose process is to be as Node made it: they count its descriptors, look into its modules, or change it for good. */
const NEED_A_PROCESS = [
  'test/sdk/oauth/attacks/timing.test.ts',
  'test/shared/idle-memory.test.ts',
  'test/runtime/logs.test.ts',
  'test/gateway/gateway.test.ts',
  'test/instance/warm-up.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    reporters: ['default', './test/helpers/count-reporter.ts'],
    // What is waited for may come late on a machine that does much else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Tests start real processes: more at once than two cores take, since most of them wait, but not so many that they meet time-outs.
    maxWorkers: 3,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: NEED_A_PROCESS,
          // Loading the daemon anew takes each file a second of a processor.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: NEED_A_PROCESS } },
    ],
  },
})
