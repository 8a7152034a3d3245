import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    reporters: ['default', './test/helpers/count-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for may come late on a machine that does much else.
    expect: { poll: { timeout: 20_000 } },
    // Tests start real processes; two cores take no more at once without slowing each other into time-outs.
    maxWorkers: 2,
    pool: 'forks',
  },
})
