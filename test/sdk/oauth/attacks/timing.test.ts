import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const compared = vi.hoisted(() => ({ times: 0 }))

vi.mock('node:crypto', async importOriginal => {
  const original = await importOriginal<typeof import('node:crypto')>()
  const timingSafeEqual: typeof original.timingSafeEqual = (left, right) => {
    compared.times += 1
    return original.timingSafeEqual(left, right)
  }
  return { ...original, timingSafeEqual }
})

const { post, startFlow, approve, redeem, openAuthorize } = await import('../support/flow.ts')
const { CALLBACK, mountAuthorizationServer } = await import('../support/mounted.ts')

let mounted: Awaited<ReturnType<typeof mountAuthorizationServer>>
let base: string
beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    clients: [
      { client_id: 'tool', redirect_uris: [CALLBACK] },
      { client_id: 'confidential', client_secret: 'a secret', redirect_uris: [CALLBACK] },
    ],
  })
  base = `${mounted.issuer}/oauth`
})
afterAll(() => mounted[Symbol.asyncDispose]())

/** True if something was compared in constant time while `work` ran. */
async function compares(work: () => Promise<unknown>): Promise<boolean> {
  const before = compared.times
  await work()
  return compared.times > before
}

test('secrets, verifiers and cookies are compared in constant time', async () => {
  const wrongSecret = {
    client_id: 'confidential',
    client_secret: 'a secrex',
    grant_type: 'authorization_code',
  }
  expect(await compares(() => post(`${base}/token`, wrongSecret))).toBe(true)

  const flow = startFlow(base)
  const page = await openAuthorize(flow)
  const code = (await approve(flow, page)).get('code')!
  expect(await compares(() => redeem(base, startFlow(base), code))).toBe(true)
  const otherBrowser = startFlow(base)
  await openAuthorize(otherBrowser)
  expect(await compares(() => otherBrowser.browser.submit(page, { provider: 'idp' }))).toBe(true)
})
