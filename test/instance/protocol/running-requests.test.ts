import { expect, test } from 'vitest'
import { RunningRequests } from '../../../src/instance/protocol/running-requests.ts'

function createRunning(...ids: (string | number)[]) {
  const running = new RunningRequests()
  const cancelled: number[] = []
  const requests = ids.map((id, index) => ({ id, cancel: () => void cancelled.push(index) }))
  for (const request of requests) running.add(request)
  return { running, requests, cancelled }
}

test('cancels a request by its id until the request is deleted', () => {
  const { running, requests, cancelled } = createRunning(1, '1', 2)
  running.cancel('1')
  expect(cancelled).toEqual([1])
  running.delete(requests[1]!)
  running.delete(requests[1]!)
  running.cancel('1')
  expect(cancelled).toEqual([1])
  expect(running.size).toBe(2)
})

test('cancels the newest of two requests with the same id', () => {
  const { running, requests, cancelled } = createRunning(7, 8, 7, 9)
  running.delete(requests[1]!)
  running.cancel(7)
  running.delete(requests[2]!)
  running.cancel(7)
  expect(cancelled).toEqual([2, 0])
})

test('cancels all requests, even if each deletes itself in the process', () => {
  const running = new RunningRequests()
  const cancelled: number[] = []
  for (const id of [1, 2, 3, 4]) {
    const request = {
      id,
      cancel() {
        cancelled.push(id)
        running.delete(request)
      },
    }
    running.add(request)
  }
  running.cancelAll()
  expect(cancelled).toEqual([1, 2, 3, 4])
  expect(running.size).toBe(0)
})
