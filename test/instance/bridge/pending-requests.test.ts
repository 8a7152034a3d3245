import { expect, test } from 'vitest'
import { type PendingRequest, PendingRequests } from '../../../src/instance/bridge/pending-requests.ts'

function createRequest(method = 'tools/call'): PendingRequest {
  return { id: 0, method, context: undefined, deadline: 0, resolve: () => {}, reject: () => {} }
}

function add(pending: PendingRequests, count = 1): PendingRequest[] {
  return Array.from({ length: count }, () => {
    const request = createRequest()
    pending.add(request)
    return request
  })
}

test('finds a request by its id until the request is taken', () => {
  const pending = new PendingRequests()
  const [one, other] = add(pending, 2)
  expect(pending.get(one!.id)).toBe(one)
  expect(pending.take(one!.id)).toBe(one)
  expect(pending.take(one!.id)).toBeUndefined()
  expect(pending.get(one!.id)).toBeUndefined()
  expect(pending.all()).toEqual([other])
  expect(pending.size).toBe(1)
})

test('a request that waits a long time keeps its id while thousands come and go', () => {
  const pending = new PendingRequests()
  const [waiting] = add(pending)
  const ids = new Set([waiting!.id])
  for (let round = 0; round < 5000; round++) {
    const [request] = add(pending)
    expect(ids.has(request!.id)).toBe(false)
    ids.add(request!.id)
    expect(pending.take(request!.id)).toBe(request)
  }
  expect(pending.all()).toEqual([waiting])
})

test('returns thousands of requests, oldest first', () => {
  const pending = new PendingRequests()
  const requests = add(pending, 3000)
  expect(pending.all()).toEqual(requests)
  expect(requests.every(request => pending.get(request.id) === request)).toBe(true)
  const ids = requests.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted((one, other) => one - other))
  expect(pending.takeAll()).toEqual(requests)
  expect(pending.size).toBe(0)
  expect(pending.all()).toEqual([])
})

test('an id invented by a program never matches a request', () => {
  const pending = new PendingRequests()
  const [request] = add(pending)
  const { id } = request!
  for (const made of [
    String(id),
    -id,
    id + 0.5,
    id + 16,
    id + 2 ** 32,
    Number.NaN,
    null,
    undefined,
    {},
    [id],
  ])
    expect(pending.take(made)).toBeUndefined()
  expect(pending.hasAssigned(id)).toBe(true)
  expect(pending.hasAssigned(id + 1)).toBe(false)
  expect(pending.hasAssigned(String(id))).toBe(false)
  expect(pending.take(id)).toBe(request)
})

test('ids keep rising after all requests have been taken', () => {
  const pending = new PendingRequests()
  const before = add(pending, 40).at(-1)!.id
  pending.takeAll()
  expect(add(pending)[0]!.id).toBeGreaterThan(before)
})
