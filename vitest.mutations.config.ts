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
      'test/daemon/runtime/pool/balance.test.ts',
      'test/shared/instances/restart-backoff.test.ts',
      'test/shared/validation/*.test.ts',
      'test/instance/protocol/{keep-alive,messages,run-request,running-requests}.test.ts',
      'test/instance/protocol/legacy/{event-store,server-requests,sessions}.test.ts',
      'test/instance/protocol/modern/{request-checks,request-state}.test.ts',
    ],
  },
})
