import { expect, test } from 'vitest'
import { RequestCounters } from '../../../src/instance/tenant/request-counters.ts'

const namesOf = (counters: RequestCounters) =>
  counters.report('dep_a', 0, 0).series.map(({ method, tool, requests }) => `${method} ${tool} ${requests}`)

test('counts tool calls by tool, and other requests by method', () => {
  const counters = new RequestCounters(name => name === 'add')
  counters.count('tools/call', 'add', 1, false)
  counters.count('tools/call', 'add', 2, true)
  counters.count('tools/list', undefined, 1, false)
  const { requests, errors, series } = counters.report('dep_a', 0, 0)
  expect({ requests, errors }).toEqual({ requests: 3, errors: 1 })
  expect(series.find(({ tool }) => tool === 'add')).toMatchObject({ requests: 2, errors: 1, sumMs: 3 })
  expect(series.map(({ method }) => method).sort()).toEqual(['tools/call', 'tools/list'])
})

test('reports totals since the start, and series since the last report', () => {
  const counters = new RequestCounters(() => true)
  counters.count('tools/call', 'add', 1, false)
  expect(namesOf(counters)).toEqual(['tools/call add 1'])
  expect(namesOf(counters)).toEqual([])
  counters.count('tools/call', 'add', 1, false)
  expect(counters.report('dep_a', 0, 0)).toMatchObject({ requests: 2, series: [{ requests: 1 }] })
})

test('counts all names invented by clients under one name', () => {
  const counters = new RequestCounters(() => false)
  for (let index = 0; index < 5000; index++) {
    counters.count('tools/call', `made-up-${index}`, 1, true)
    counters.count(`made/up/${index}`, undefined, 1, true)
  }
  expect(namesOf(counters).sort()).toEqual(['(other)  5000', 'tools/call (other) 5000'])
})

test('counts at most a thousand tools separately', () => {
  const counters = new RequestCounters(() => true)
  for (let index = 0; index < 5000; index++) counters.count('tools/call', `tool-${index}`, 1, false)
  expect(namesOf(counters)).toHaveLength(1001)
})
