import { expect, test } from 'vitest'
import { createContext, defineTool } from '../../src/sdk/server.ts'

const book = defineTool({
  description: 'Books a seat',
  async handler(_args, context) {
    const { action, content } = await context.elicit({
      message: 'Which seat?',
      schema: { type: 'object', properties: { row: { type: 'number' } }, required: ['row'] },
    })
    if (action !== 'accept') return 'no seat'
    context.progress(1, 2)
    await context.store.user.set('seat', content.row)
    context.resourceUpdated('seats://mine')
    context.announce('resources')
    context.warning('window seats are gone', 'booking')
    return `${context.env.AIRLINE} ${content.row} for ${context.auth?.subject}`
  },
})

test('createContext gives a handler an in-memory store and records what the handler sends', async () => {
  const context = createContext({
    env: { AIRLINE: 'KL' },
    user: 'github|42',
    elicit: ({ message }) => ({ action: 'accept', content: { row: message.length } }),
  })
  expect(await book.handler({}, context)).toBe('KL 11 for github|42')
  expect(await context.store.user.get('seat')).toBe(11)
  expect(context).toMatchObject({
    logs: [{ level: 'warning', data: 'window seats are gone', logger: 'booking' }],
    progressReports: [{ progress: 1, total: 2 }],
    announced: ['resources'],
    updatedResources: ['seats://mine'],
    client: { capabilities: { elicitation: {} } },
  })
})

test('elicit, sample and listRoots fail as unsupported if createContext has no answer for them', async () => {
  const context = createContext()
  await expect(book.handler({}, context)).rejects.toThrow('does not support elicitation. Pass `elicit`')
  await expect(context.sample('Hello')).rejects.toThrow('does not support sampling')
  await expect(context.listRoots()).rejects.toThrow('does not support roots')
  const answering = createContext({
    sample: ({ maxTokens }) => `up to ${maxTokens}`,
    roots: [{ uri: 'file:///a' }],
  })
  expect((await answering.sample('Hello')).text).toBe('up to 1000')
  expect(await answering.listRoots()).toEqual([{ uri: 'file:///a' }])
})

test('store.user of a context without a user throws NO_USER, as in a server without sign-in', () => {
  expect(() => createContext().store.user).toThrow(expect.objectContaining({ code: 'NO_USER' }))
})

test('the methods of a context and its store can be used without their objects', async () => {
  const context = createContext({
    user: 'github|42',
    elicit: () => ({ action: 'decline' }),
    sample: () => 'text',
    roots: [],
  })
  const { log, debug, progress, announce, resourceUpdated, elicit, elicitUrl, sample, listRoots, store } =
    context
  log('info', 'a')
  debug('b')
  progress(1)
  announce('tools')
  resourceUpdated('a://b')
  expect(await elicit({ message: 'm', schema: { type: 'object' } })).toEqual({ action: 'decline' })
  expect(await elicitUrl({ message: 'm', url: 'https://example.com' })).toEqual({ action: 'decline' })
  expect([(await sample('m')).text, await listRoots()]).toEqual(['text', []])
  for (const { get, set, delete: remove, list, increment, transaction } of [store, store.user]) {
    await set('a', 1)
    await increment('a')
    await transaction(async ({ get, set, delete: remove, list }) => {
      set('b', [await get('a'), await list()])
      remove('a')
    })
    expect([await get('b'), await remove('b'), await list()]).toEqual([
      [2, [{ key: 'a', value: 2 }]],
      true,
      [],
    ])
  }
  expect(context).toMatchObject({
    logs: [{ data: 'a' }, { data: 'b' }],
    progressReports: [{ progress: 1 }],
    announced: ['tools'],
    updatedResources: ['a://b'],
  })
})
