import { expect, test } from 'vitest'
import { EventLog, type EventReader } from '../../../../src/daemon/services/events/event-log.ts'
import type { ChangeEvent } from '../../../../src/shared/contract/monitoring/events.ts'

const CAPACITY = 3

function change(id: string): ChangeEvent {
  return { type: 'server', action: 'created', id, timestamp: '2026-01-01T00:00:00.000Z' }
}

function logOf(...ids: string[]): EventLog {
  const log = new EventLog(CAPACITY)
  for (const id of ids) log.add(change(id))
  return log
}

/** All pending events of the reader, abbreviated. */
function read(reader: EventReader): string[] {
  const all: string[] = []
  for (let next = reader.next(); next; next = reader.next())
    all.push(next.data.type === 'reset' ? `reset: ${next.data.reason}` : next.data.id)
  return all
}

test('a new reader begins with a reset and gets only later events', () => {
  const log = logOf('a')
  const reader = log.reader(undefined)
  log.add(change('b'))
  expect(read(reader)).toEqual(['reset: new', 'b'])
  log.add(change('c'))
  expect(read(reader)).toEqual(['c'])
})

test('a new reader continues after the given event id', () => {
  const log = logOf()
  const reader = log.reader(undefined)
  const { id } = reader.next()!
  for (const name of ['a', 'b']) log.add(change(name))
  expect(read(log.reader(id))).toEqual(['a', 'b'])
  const first = reader.next()!
  expect(read(log.reader(first.id))).toEqual(['b'])
})

test('an id of another log, a malformed id and an id from the future result in a reset', () => {
  const log = logOf('a')
  const { id } = log.reader(undefined).next()!
  for (const after of [logOf('a').reader(undefined).id, 'x', '', `${id}9`, '-1', `${id.split('-')[0]}-`])
    expect(read(log.reader(after)), after).toEqual(['reset: restarted'])
})

test('an id whose events were removed results in a reset', () => {
  const log = logOf('a')
  const { id } = log.reader(undefined)
  for (let count = 0; count < 2 * CAPACITY; count++) log.add(change(`n${count}`))
  expect(read(log.reader(id))).toEqual(['reset: restarted'])
})

test('a reader that falls behind gets one reset and then the events after it', () => {
  const log = logOf()
  const reader = log.reader(undefined)
  reader.next()
  for (let count = 0; count < 3 * CAPACITY; count++) log.add(change(`n${count}`))
  expect(read(reader)).toEqual(['reset: missed'])
  log.add(change('z'))
  expect(read(reader)).toEqual(['z'])
})
