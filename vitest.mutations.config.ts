import { defineConfig } from 'vitest/config'

/** Tests that run the code of `stryker.config.json` in their own process. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    include: [
      'test/sdk/oauth/rules/*.test.ts',
      'test/sdk/oauth/registration.test.ts',
      'test/sdk/oauth/attacks/{browsers,codes}.test.ts',
      'test/daemon/runtime/scaling/*.test.ts',
      'test/daemon/runtime/placement/balance.test.ts',
      'test/shared/instances/restart-backoff.test.ts',
    ],
  },
})
